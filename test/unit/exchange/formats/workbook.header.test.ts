import { describe, expect, test } from 'vitest';
import { NO_MAPPING } from '../../../../src/domain/parse/import.js';
import { cardOf, problemsOf } from '../../../support/files.js';
import { rowsXml, workbookOf } from '../../../support/zip.js';
import { contentReader } from './content-reader.js';
import { HEADER, oneSheet, ROW } from './one-sheet.js';

const read = await contentReader('xlsx');

describe('the header of a workbook', () => {
  test('may have two rows, with the parts of a column below its name', async () => {
    const first = ['学科', '难度', '题目', '选项', '', '答案', '', '备注'];
    const second = ['学科', '难度', '题目', 'A', 'B', '学生答案', '正确答案', ''];
    const { rows, notices } = await read(
      workbookOf({ sheets: { 一: rowsXml([first, second, [...ROW, '1', '2', '1', '2', '粗心']]) } }),
    );
    expect(rows.map((row) => [row.row, cardOf(row)])).toEqual([
      [
        3,
        expect.objectContaining({
          choices: ['1', '2'],
          studentSolutionText: '1',
          goldSolutionBrief: '2',
          notes: '粗心',
        }),
      ],
    ]);
    expect(notices).toEqual([]);
  });

  test('may have names that are not known in the second row, if the difficulty is merged over both', async () => {
    const first = ['学科', '难度', '题目', '', '', '正解'];
    const second = ['', '', '题干', '选项', '分值', ''];
    const merges = ['A1:A2', 'B1:B2', 'C1:E1'].map((ref) => `<mergeCell ref="${ref}"/>`).join('');
    const sheet = `${rowsXml([first, second, [...ROW, 'A. 1\nB. 2', '3', 'B']])}<mergeCells>${merges}</mergeCells>`;
    const { rows, notices } = await read(workbookOf({ sheets: { 一: sheet } }));
    expect(rows.map((row) => [row.row, cardOf(row)])).toEqual([
      [3, expect.objectContaining({ questionText: '1+1=?', choices: ['1', '2'], goldSolutionBrief: 'B' })],
    ]);
    expect(notices).toEqual(['unknown: 分值']);
  });

  test('keeps a known name of its first row above an unknown one', async () => {
    const first = ['学科', '难度', '题目', '错解', '', '正解'];
    const second = ['学科', '难度', '内容', '过程', '得分', '正解'];
    const { rows, notices } = await read(
      workbookOf({ sheets: { 一: rowsXml([first, second, [...ROW, '1+1=3', '0', '2']]) } }),
    );
    expect(rows.map(cardOf)).toEqual([
      expect.objectContaining({ questionText: '1+1=?', studentSolutionText: '1+1=3', goldSolutionBrief: '2' }),
    ]);
    expect(notices).toEqual(['unknown: 得分']);
  });

  test('joins columns of one name, if the field may have several values', async () => {
    const first = ['序号', ...HEADER, '知识点', '知识点'];
    const { rows } = await read(workbookOf({ sheets: { 一: rowsXml([first, ['1', ...ROW, '加法', '进位']]) } }));
    expect(rows.map(cardOf)).toEqual([expect.objectContaining({ topicTags: ['加法', '进位'] })]);
  });

  test('tells a spare row of a form, with values only in columns that are not read, from a row without a question', async () => {
    const first = ['序号', '班级', ...HEADER];
    const spare = ['2', '七(3)班', '', '', ''];
    const bad = ['3', '七(3)班', '数学', '', ''];
    const total = ['合计：1 题', '', '', '', ''];
    const { rows } = await read(
      workbookOf({ sheets: { 一: rowsXml([first, ['1', '七(3)班', ...ROW], spare, bad, total]) } }),
    );
    expect(rows.map(({ row }) => row)).toEqual([2, 4]);
    expect(problemsOf(rows[1])).not.toEqual([]);
  });

  test('says nothing of an empty column without a name, and no comma of a value beyond the header', async () => {
    const sheet = rowsXml([
      ['', '题目', '', '学科', '难度'],
      ['', '1+1=?', '', '数学', '2'],
      ['', '1+2=?', '', '数学', '2', '多余'],
    ]);
    const { rows, notices } = await read(workbookOf({ sheets: { 一: sheet } }));
    expect(cardOf(rows[0]).questionText).toBe('1+1=?');
    expect(problemsOf(rows[1]).map(({ reason }) => reason)).toEqual([
      'has a value in column 6, where the header ends at 5',
    ]);
    expect(notices).toEqual([]);
  });

  test('has one row where the first row below it has names for its values', async () => {
    const header = [...HEADER, '', '正解', '备注'];
    const { rows, notices } = await read(
      oneSheet([], { sheets: { 一: rowsXml([header, [...ROW, '', '主题', '来源'], [...ROW, '3 分', '', '']]) } }),
    );
    expect(cardOf(rows[0])).toMatchObject({ goldSolutionBrief: '主题', notes: '来源' });
    expect(rows).toHaveLength(2);
    expect(notices).toEqual([expect.stringContaining('column 4 is skipped')]);
  });

  test('may be followed by that of another part of the sheet, by which the rows below it are read', async () => {
    const choice = ['序号', ...HEADER, 'A', 'B', '班级', '错误答案', '正确答案'];
    const blank = ['序号', ...HEADER, '正确答案', '班级', '错误答案', '知识点'];
    const { rows, notices } = await read(
      workbookOf({
        sheets: {
          一: rowsXml([
            ['一、选择题'],
            choice,
            ['1', ...ROW, '1', '2', '三班', 'A', 'B'],
            ['二、填空题'],
            blank,
            ['1', '数学', '2', '2+5=?', '7', '三班', '8', '加法'],
            choice,
            ['2', '数学', '2', '1+2=?', '2', '3', '三班', 'A', 'B'],
          ]),
        },
      }),
    );
    expect(rows.map((row) => [row.row, cardOf(row)])).toEqual([
      [3, expect.objectContaining({ choices: ['1', '2'], studentSolutionText: 'A', goldSolutionBrief: 'B' })],
      [6, expect.objectContaining({ studentSolutionText: '8', goldSolutionBrief: '7', topicTags: ['加法'] })],
      [8, expect.objectContaining({ choices: ['2', '3'], goldSolutionBrief: 'B' })],
    ]);
    expect(cardOf(rows[1]).choices).toEqual([]);
    expect(notices).toEqual(Array(3).fill('unknown: 班级'));
  });

  test('of another part is refused if a required column is missing there', async () => {
    const sheet = rowsXml([HEADER, ROW, ['题目', '正解'], ['2+5=?', '7']]);
    await expect(read(workbookOf({ sheets: { 一: sheet } }))).rejects.toThrow(
      'has no column for subject and difficulty (sheet "一", row 3)',
    );
  });

  test.each([
    ['the words of an English lesson', ['答案', 'question', 'answer']],
    ['a question with the name of another column', ['题目', 'question', '答案']],
    ['a value that is no name', ['题目', '正解', '1']],
    ['two names of the question', ['题目', '问题', '答案']],
  ])('is not seen in a row of data: %s', async (_title, values) => {
    const mapping = { ...NO_MAPPING, defaults: { subject: 'math', difficulty: 3 } };
    const header = ['题目', '错解', '正解'];
    const { rows } = await read(
      workbookOf({ sheets: { 一: rowsXml([header, ['1+1=?', '3', '2'], values]) } }),
      mapping,
    );
    expect(rows.map(({ row }) => row)).toEqual([2, 3]);
  });
});
