import { describe, expect, test } from 'vitest';
import { NO_MAPPING } from '../../../src/domain/parse/import.js';
import { headed } from '../../../src/exchange/formats/header.js';
import { FIELDS } from '../../../studio/cards/draft.js';
import { decoded, firstRows, isKnownName, tableOf } from '../../../studio/exchange/first-rows.js';
import { en } from '../../../studio/messages/en/index.js';
import { zh } from '../../../studio/messages/zh/index.js';
import { inBig5, inGb18030 } from '../../support/files.js';

const CARDS = [
  { 题目: 'What is "[2 + 2]"?', tags: ['a', 'b'] },
  { 题目: '1}', difficulty: 3 },
];
const TABLE = {
  headers: ['题目', 'tags', 'difficulty'],
  rows: [
    ['What is "[2 + 2]"?', '["a","b"]', ''],
    ['1}', '', '3'],
  ],
};

describe('the preview of a file', () => {
  test.each([
    ['a list', JSON.stringify(CARDS)],
    ['lists by category', JSON.stringify({ math: CARDS }, null, 2)],
  ])('shows the complete entries of %s of JSON that is cut anywhere after them', (_title, text) => {
    expect(firstRows(text, 'json', false)).toEqual(TABLE);
    const cut = `${text.replace(/\s*\]\s*\}?$/, '')}, {"题目": "3 \\" {`;
    for (let length = cut.lastIndexOf(','); length <= cut.length; length += 1) {
      expect(firstRows(cut.slice(0, length), 'json', true)).toEqual(TABLE);
    }
  });

  test('leaves out a cut line of JSON Lines', () => {
    const lines = CARDS.map((card) => JSON.stringify(card)).join('\n\n');
    expect(firstRows(lines, 'jsonl', false)).toEqual(TABLE);
    expect(firstRows(`${lines}\n{"题目": "3`, 'jsonl', true)).toEqual(TABLE);
    expect(firstRows('{"题目": "3', 'jsonl', true)).toBeNull();
  });

  test.each([
    ['UTF-8', (text: string) => text],
    ['Big5', inBig5],
    ['GB18030', inGb18030],
  ])('shows traditional Chinese in %s', (_title, encode) => {
    const text = '題目,學科,難度\n一個長方形的周長為36公分,數學,中等\n';
    expect(decoded(Buffer.from(encode(text)))).toBe(text);
  });

  test('shows English in Windows-1252', () => {
    expect(decoded(Buffer.from('question\nisn\x92t it 30\xb0?\n', 'latin1'))).toBe('question\nisn’t it 30°?\n');
  });

  test.each([',', '\t', ';'])('finds the columns of a table with the delimiter %j', (delimiter) => {
    const text = [
      ['题目', '"学科,; \t"', '知识点'],
      ['1', '2', '"a\n""b"""'],
    ]
      .map((row) => row.join(delimiter))
      .join('\r\n');
    expect(firstRows(text, 'csv', false)).toEqual({
      headers: ['题目', '学科,; \t', '知识点'],
      rows: [['1', '2', 'a\n"b"']],
    });
  });

  test('has the rows above one that the gateway refuses, and counts no row of separators alone', () => {
    const blank = ',,\n'.repeat(30);
    expect(firstRows(`${blank}题目,学科,难度\n1,math,2\n他说"好",语文,1\n3,math,2\n`, 'csv', false)).toEqual({
      headers: ['题目', '学科', '难度'],
      rows: [['1', 'math', '2']],
    });
  });
});

/** As the gateway reads it: the names of the first row below the header, and its values. */
async function readByGateway(rows: readonly (readonly string[])[], mapping = NO_MAPPING) {
  const given = async function* () {
    for (const [place, values] of rows.entries()) yield { sheet: null, row: place + 1, values };
  };
  for await (const row of headed(given(), mapping, () => undefined)) {
    if (!('cells' in row)) throw new Error(row.problem);
    return { headers: row.cells.map(({ header }) => header), rows: [row.cells.map(({ value }) => value)] };
  }
  return null;
}

const WITH_DEFAULTS = { ...NO_MAPPING, defaults: { subject: 'math', difficulty: 3 } };

const HEADER = ['序号', '题目（必填）', '学科', '难度'];
const ROW = ['1', '1 + 1 = ?', '数学', '2'];

describe('the header of a table', () => {
  test('may have names in brackets, in traditional characters and in full width', () => {
    expect(
      ['題目', '錯誤解法', '學科', '難度', '【題目】（必填）', '（Ａ）'].filter((name) => !isKnownName(name)),
    ).toEqual([]);
  });

  test.each([en, zh])('knows columns that are named as the page names the fields', (messages) => {
    expect(FIELDS.map((field) => messages[`field.${field}`]).filter((name) => !isKnownName(name))).toEqual([]);
  });

  test.each([
    ['the first row', []],
    ['below a title', [['八年级（3）班错题本', '', '', '']]],
    ['below a title that is a name of the question', [['错题', '', '', '']]],
    [
      'below a line about the class and empty rows',
      [['班级：', '八（3）班', '', ''], ['', '', '', ''], [' '], ['\u3000']],
    ],
    ['below 19 lines', Array.from({ length: 19 }, (_, place) => [`说明 ${place}`])],
  ])('is found where the gateway finds it: %s', async (_title, above) => {
    const rows = [...above, HEADER, ROW];
    expect(tableOf(rows)).toEqual({ headers: HEADER, rows: [ROW] });
    expect(await readByGateway(rows)).toEqual(tableOf(rows));
    expect(await readByGateway(rows, WITH_DEFAULTS)).toEqual(tableOf(rows));
    const text = rows.map((row) => row.join(';')).join('\n');
    expect(firstRows(text, 'csv', false)).toEqual(tableOf(rows));
  });

  test.each([
    ['parts of a column below its name', ['序号', '题目', '选项', '', '学科', '难度'], ['序号', '', 'A', 'B', '', '']],
    [
      'cells that are merged over both',
      ['学科', '难度', '题目', '', '', '正解'],
      ['学科', '难度', '题干', '选项', '分值', '正解'],
    ],
    [
      'traditional names, and unknown ones below known ones, which stay',
      ['學科', '難度', '題目', '錯解', '', '錯因'],
      ['學科', '難度', '內容', '過程', '得分', '錯因'],
    ],
  ])('may have two rows, as in the gateway: %s', async (_title, first, second) => {
    const values = first.map((_, place) => String(place + 1));
    const shown = tableOf([['八年级错题'], first, second, values]);
    expect(shown?.rows).toEqual([values]);
    expect(shown?.headers.filter((name) => name === '')).toEqual([]);
    expect(await readByGateway([first, second, values])).toEqual(shown);
  });

  test.each([
    ['a row with values', ['题目', '', '学科', '难度'], ['1 + 1 = ?', '甲', '数学', '2']],
    ['an unknown name that is repeated', ['题目', '分数', '', '学科', '难度'], ['题干', '分数', '选项', '', '']],
    ['a row with a name as its value', ['题目', '', '学科', '难度'], ['1 + 1 = ?', '选项', '数学', '2']],
    ['a row without a value in a column without a name', ['题目', '学科', '难度', '备注'], ['主题', '', '', '来源']],
  ])('has one row above %s', (_title, header, row) => {
    expect(tableOf([header, row])).toEqual({ headers: header, rows: [row] });
  });

  test('that is repeated on each page or merged over two rows is shown once', () => {
    expect(tableOf([HEADER, HEADER, ROW, HEADER, ['2', '2 + 2 = ?', '数学', '1']])?.rows).toHaveLength(2);
  });

  test('ends the rows that are shown above that of another part of the sheet, as in the gateway', async () => {
    const next = ['序号', '题目', '正解', '学科', '难度'];
    const rows = [HEADER, ROW, ['序号', '题目（必填）', '学科', '难度', '正解'], ['1', '2 + 2 = ?', '数学', '1', '4']];
    expect(tableOf(rows)?.rows).toEqual([ROW]);
    expect(tableOf([['序号', '题目', '学科', '难度'], ROW, next, ROW])?.rows).toEqual([ROW]);
    expect(await readByGateway(rows)).toEqual(tableOf(rows));
    expect(
      tableOf([
        ['题目', '正解'],
        ['答案', 'answer'],
        ['问题', 'question'],
      ])?.rows,
    ).toHaveLength(2);
  });

  test('without a known name is below a title', () => {
    const header = ['甲', '乙', '丙', '丁'];
    expect(tableOf([['二年三班'], header, ROW])).toEqual({ headers: header, rows: [ROW] });
    expect(tableOf([['甲'], ['乙']])).toEqual({ headers: ['甲'], rows: [['乙']] });
  });

  test('whose question has another name is the row with most known names, so that its column can be chosen', () => {
    const header = ['题号', '正文', '学科', '难度'];
    expect(tableOf([['八年级错题'], header, ROW])).toEqual({ headers: header, rows: [ROW] });
    const unknown = ['序号', '正文', '学科', '难度'];
    expect(tableOf([['错题（八年级3班）'], unknown, ROW])).toEqual({ headers: unknown, rows: [ROW] });
    expect(tableOf([['甲', '乙'], ROW])).toEqual({ headers: ['甲', '乙'], rows: [ROW] });
    expect(tableOf([['题目'], ['1 + 1 = ?']])).toEqual({ headers: ['题目'], rows: [['1 + 1 = ?']] });
    expect(tableOf([])).toBeNull();
  });
});
