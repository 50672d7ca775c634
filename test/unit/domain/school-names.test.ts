import { expect, test } from 'vitest';
import { classNamed, namedAfter } from '../../../src/domain/school-names.js';

test.each([
  ['english G8', ['英语（八下）', '英语八下', '初二英语', 'G8 English', '八（3）班英语', '803班英语错题']],
  ['math G8', ['八年级数学下册', '数学(八年级下册)', '八年级3班数学', '八上数学期中', '2025年八年級數學']],
  ['math G10', ['高一数学（上）', '数学错题整理 高一', '高一数学必修第一册', '高一理科数学', '高一数学（文）']],
  [
    'math',
    ['数学', '数学错题', '数学 (2)', '数学3', '数学下册', '初中数学', '12班数学期末', '第一次月考数学', 'Math 2'],
  ],
  ['math', ['数学（理）', '文科数学', '数学作业', '数学期末复习', '选择性必修一数学', '数学选修2-1']],
  ['chinese', ['中国语文', '语文（上）']],
  [
    '',
    [
      '',
      '八年级',
      '科学计数法',
      '数学与物理',
      '历史遗留',
      'Aftermath',
      '英文版',
      '数学张老师',
      '数理化',
      '理综',
      '物理化学',
    ],
  ],
])('the subject and the grade %j are read of the sheets %j', (meant, names) => {
  for (const name of names) {
    const { subject = '', grade = '' } = namedAfter(name);
    expect([name, `${subject} ${grade}`.trim()]).toEqual([name, meant]);
  }
});

test.each([
  [
    'G8 班级 3班',
    ['初二(3)班', '初二（３）班', '八年级3班', '八年級（3）班', '8年级三班', '八(3)班', '八3班', '803班', '初二-3班'],
  ],
  ['G8 班级 3班', ['初中二年级03班', '八年级(上)(3)班', 'G8(3)班', '国中二年级 3 班']],
  ['G12 班级 12班', ['高三12班', '高三十二班', '高三（12）班']],
  ['G10 班级 A班', ['高一A班', '高一（A）班']],
  ['G1 班级 2班', ['一（2）班', '小学一年级2班']],
  ['G8 班级 0班', ['初二(0)班', '八年级00班']],
  ['G8 class 0', ['Grade 8 Class 0']],
  ['G8 class 3', ['Grade 8 Class 3', 'G8, class 3', 'Year 8 (Class 3)']],
  ['G8 class B', ['grade 8 class b']],
])('the grade and the class %s are those of %j', (meant, names) => {
  for (const name of names) {
    const { grade, entry } = classNamed(name) ?? {};
    expect([name, `${grade} ${entry?.key} ${entry?.value}`]).toEqual([name, meant]);
  }
});

test('names whose grade is not certain are those of no class', () => {
  const names = [
    '12班',
    '三二班',
    '102班',
    '十二班',
    '高三',
    '小一班',
    '学前(2)班',
    '大一（2）班',
    '2023级3班',
    '高中3班',
  ];
  expect(names.filter((name) => classNamed(name) !== undefined)).toEqual([]);
});
