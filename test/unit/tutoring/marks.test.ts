import { expect, test } from 'vitest';
import { withoutMarks } from '../../../src/tutoring/marks.js';

const READINGS: readonly (readonly [text: string, kept: string])[] = [
  ['[s1] 5', '5'],
  ['- 5', '5'],
  ['3. read', 'read'],
  ['3.read', '3.read'],
  ['1.read\n2.draw', 'read draw'],
  ['1.5 m\n2.5 m', '1.5 m 2.5 m'],
  ['1)read\n2)draw\n4)check', 'read draw 4)check'],
  ['(1) read (2) draw (4) check', '(1) read (2) draw (4) check'],
  ['(1) read; (2) draw; (4) check', 'read; draw; (4) check'],
  ['(12) birds', '(12) birds'],
  ['1\u20e3 read\n2\u20e3 draw', 'read draw'],
  ['## 1. read\n## 2. draw', 'read draw'],
  ['the answer is\n3. check', 'the answer is 3. check'],
  ['the sum:\n3. check', 'the sum: 3. check'],
  ['the sum:\n1. check', 'the sum: check'],
  ['1. add:\n2. check', 'add: check'],
  ['第 2、3 步, hint 3: lines 1 and 2, step 4', ', : ,'],
  ['hint 3 birds, in this example 3.', 'hint 3 birds, in this example 3.'],
  ['用例 2 的方法, 病例 3 例', '用 的方法, 病例 3 例'],
  ['分 3 步, 分 3 类', ', 分 3 类'],
  ['the 3rd step, 3 unknowns, 3 个方程', 'the , ,'],
  ['单位 "1", 系数化为 1, 化为 1', '", , 化为 1'],
];

for (const [text, kept] of READINGS) {
  test(`of ${text} remains ${kept}`, () => {
    expect(
      withoutMarks(text)
        .replace(/\s+/g, ' ')
        .replace(/ (?=[,:;])/g, '')
        .trim(),
    ).toBe(kept.replace(/ (?=[,:;])/g, ''));
  });
}
