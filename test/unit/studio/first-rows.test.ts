import { describe, expect, test } from 'vitest';
import { NO_MAPPING } from '../../../src/domain/parse/import.js';
import { FILE_FIELDS } from '../../../src/exchange/formats/file-fields.js';
import { headed } from '../../../src/exchange/formats/header.js';
import { FIELDS } from '../../../studio/cards/draft.js';
import { firstRows, tableOf } from '../../../studio/exchange/first-rows.js';
import { isKnownName, OTHER_NAMES, QUESTION_NAMES } from '../../../studio/exchange/header.js';
import { en } from '../../../studio/messages/en/index.js';
import { zh } from '../../../studio/messages/zh/index.js';

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
  test('has the names that the gateway knows', () => {
    const { questionText, ...others } = FILE_FIELDS;
    const sorted = (names: readonly string[]): string[] => names.join(' ').split(' ').sort();
    expect(sorted([QUESTION_NAMES])).toEqual(sorted([questionText.names]));
    expect(sorted([OTHER_NAMES])).toEqual(sorted(Object.values(others).map(({ names }) => names)));
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
