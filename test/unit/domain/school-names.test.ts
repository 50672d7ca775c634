import { expect, test } from 'vitest';
import { namedAfter } from '../../../src/domain/school-names.js';

test.each([
  ['english G8', ['英语（八下）', '英语八下', '初二英语', 'G8 English', '八（3）班英语', '803班英语错题']],
  ['math G8', ['八年级数学下册', '数学(八年级下册)', '八年级3班数学', '八上数学期中', '2025年八年級數學']],
  ['math G10', ['高一数学（上）', '数学错题整理 高一']],
  [
    'math',
    ['数学', '数学错题', '数学 (2)', '数学3', '数学下册', '初中数学', '12班数学期末', '第一次月考数学', 'Math 2'],
  ],
  ['chinese', ['中国语文', '语文（上）']],
  ['', ['', '八年级', '科学计数法', '数学与物理', '历史遗留', 'Aftermath', '英文版', '数学张老师']],
])('the subject and the grade %j are read of the sheets %j', (meant, names) => {
  for (const name of names) {
    const { subject = '', grade = '' } = namedAfter(name);
    expect([name, `${subject} ${grade}`.trim()]).toEqual([name, meant]);
  }
});
