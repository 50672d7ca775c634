import { describe, expect, test } from 'vitest';
import { parseMapping } from '../../../../src/domain/parse/import.js';
import { cardOf } from '../../../support/files.js';
import { contentReader } from './content-reader.js';

const read = await contentReader('csv');
const mapping = parseMapping({ defaults: { subject: 'math', difficulty: '3' } }, '');

describe('a paper as a table', () => {
  test.each([
    '一、选择题（每小题3分，共30分）',
    '二、填空。',
    '（三）判断题：对的打√，错的打×。（10分）',
    '三、解答题：本大题共6小题，共70分．解答应写出文字说明、证明过程或演算步骤．',
    '四、計算題（要求写出过程）',
    '第二部分 阅读理解',
    'II. 完形填空',
    '填空题',
    '第一章 有理数',
    '第3单元',
  ])('has no card of the title %s, and reports it', async (title) => {
    const table = `题目,答案,错解\n${title},,\n1+1=?,2,3\n`;
    const { rows, notices } = await read(table, mapping);
    expect(rows.map(cardOf)).toEqual([expect.objectContaining({ questionText: '1+1=?' })]);
    expect(notices).toEqual([`the row "${title}" is skipped: it is the title of a section (row 2)`]);
  });

  test('has one notice of all titles, in whatever column they are', async () => {
    const table = '学科,题目,答案\n一、选择题,,\n数学,1+1=?,2\n,二、填空题,\n数学,2+2=?,4\n,,三、解答题\n';
    const { rows, notices } = await read(table, mapping);
    expect(rows.map(({ row }) => row)).toEqual([3, 5]);
    expect(notices).toEqual(['the row "一、选择题" and 2 more are skipped: they are titles of sections (row 2)']);
  });

  test.each([
    ['with an answer', '填空题,2'],
    ['of a task', '一、计算：25×4,'],
    ['of a task with its points', '应用题：小明有3元，又得到4元，共有多少元（5分）,'],
    ['of a question', '一、应用题：每本书8分，买3本要多少？,'],
    ['about a chapter', '第一章主要讲了什么？,'],
    ['of a blank to fill in', '第一章 有理数的定义是____,'],
  ])('has a card of a row %s', async (_, row) => {
    const { rows, notices } = await read(`题目,答案\n${row}\n`, mapping);
    expect([rows.length, notices]).toEqual([1, []]);
    expect(cardOf(rows[0])).toMatchObject({ difficulty: 3 });
  });
});
