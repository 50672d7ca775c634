import { describe, expect, test } from 'vitest';
import { parseMapping } from '../../../../src/domain/parse/import.js';
import { cardOf } from '../../../support/files.js';
import { rowsXml, workbookOf } from '../../../support/zip.js';
import { contentReader } from './content-reader.js';

const read = await contentReader('csv');
const readWorkbook = await contentReader('xlsx');
const mapping = parseMapping({ columns: { 人数: null }, defaults: { subject: 'math', difficulty: '3' } }, '');
const skipped = (name: string, row: number): string =>
  `the row "${name}" is skipped: it has totals or averages (row ${row})`;

describe('a table of a class', () => {
  test.each([
    '合计,,,21',
    '合 计：,,,21',
    '總計,,-,85.5%',
    '小计（人）,,,12人',
    'Sub-total,,,"1,021"',
    'AVERAGE:,,3.2,',
    '合计,,,',
  ])('that ends with %s has no card of it, and reports it', async (line) => {
    const { rows, notices } = await read(`题目,错解,难度,人数\n1+1=?,3,,12\n${line}\n`, mapping);
    expect(rows.map(cardOf)).toEqual([expect.objectContaining({ questionText: '1+1=?', difficulty: 3 })]);
    expect(notices).toEqual([skipped(line.split(',')[0] as string, 3)]);
  });

  test('has cards below a subtotal, and none of a total in the column of row numbers', async () => {
    const table = '序号,题目,错解,人数\n1,1+1=?,3,12\n小计,,,12\n2,2+2=?,5,9\n合计,,,21\n';
    const { rows, notices } = await read(table, mapping);
    expect(rows.map(({ row }) => row)).toEqual([2, 4]);
    // One notice: a file has a limit of them, and a table may have a subtotal for each topic.
    expect(notices).toEqual(['the row "小计" and 1 more are skipped: they have totals or averages (row 3)']);
  });

  test.each([
    ['with another text', '题目,错解,人数\n合计,和,1\n'],
    ['with a row number', '序号,题目,人数\n7,total,1\n'],
    ['with an id', 'id,题目,人数\n7,total,1\n'],
    ['of a list of words', '题目\naverage\n'],
    ['of a topic of mathematics', '题目,人数\n平均数,1\n'],
    ['of a whole question', '题目,人数\n合计是多少？,1\n'],
  ])('has a card of a row %s', async (_, table) => {
    const { rows, notices } = await read(table, mapping);
    expect([rows.length, notices]).toEqual([1, []]);
    expect(cardOf(rows[0])).toMatchObject({ difficulty: 3 });
  });

  test('may be a workbook, whose sheet is named, and have an average that is an error', async () => {
    const error = '<row r="3"><c t="inlineStr"><is><t>平均</t></is></c><c t="e"><v>#DIV/0!</v></c></row>';
    const sheet = rowsXml([
      ['题目', '难度'],
      ['1+1=?', ''],
    ]).replace('</sheetData>', `${error}</sheetData>`);
    const { rows, notices } = await readWorkbook(workbookOf({ sheets: { 七班: sheet } }), mapping);
    expect(rows.map(cardOf)).toEqual([expect.objectContaining({ questionText: '1+1=?' })]);
    expect(notices).toEqual(['the row "平均" is skipped: it has totals or averages (sheet "七班", row 3)']);
  });
});
