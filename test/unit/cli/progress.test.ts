import { afterEach, expect, test, vi } from 'vitest';
import { ProgressLine } from '../../../src/cli/progress.js';

const { isTTY, columns } = process.stderr;
afterEach(() => {
  Object.assign(process.stderr, { isTTY, columns });
  vi.restoreAllMocks();
});

test.each([
  ['cards.jsonl: 500 stored', 'cards.jsonl: 500 st'],
  ['初二期中错题.xlsx: 500 stored', '初二期中错题.xlsx: '],
  ['初二数学期中考试错题', '初二数学期中考试错'],
  ['a初二数学期中考试错', 'a初二数学期中考试错'],
  ['短', '短'],
])('a line is cut to the columns of the terminal, where a Chinese letter takes two: %s', (text, shown) => {
  const written: string[] = [];
  Object.assign(process.stderr, { isTTY: true, columns: 20 });
  vi.spyOn(process.stderr, 'write').mockImplementation((some) => written.push(String(some)) > 0);
  new ProgressLine().show(text);
  expect(written).toEqual([`\r\u001b[K${shown}`]);
});
