import { describe, expect, test } from 'vitest';
import { firstRows } from '../../../studio/exchange/first-rows.js';

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
