import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanText } from '../../../../src/domain/clean-text.js';
import { gradeOf, subjectOf } from '../../../../src/domain/school-names.js';
import { choiceLetter, isNamed } from '../../../../src/exchange/formats/columns.js';
import { fieldOf } from '../../../../src/exchange/formats/header-names.js';
import { joinLabels, splitLabels } from '../../../../src/exchange/formats/values/lists.js';
import { difficultyOf, difficultyOfCoefficient, qualityOf } from '../../../../src/exchange/formats/values/names.js';

test.each([
  [
    'G6',
    [
      'G6',
      'g6',
      '6',
      'Ｇ６',
      '六年级',
      '小学六年级',
      '小六',
      'Grade 6',
      'grade6',
      '6th grade',
      'Year 6',
      '六年级上册',
      '6年级下学期',
    ],
  ],
  [
    'G7',
    [
      '初一',
      '七年级',
      '初中一年级',
      '初中七年级',
      'G7',
      'Grade 7',
      '七上',
      '初一上',
      '七年级(上)',
      '七年级（下）',
      '7年级 （上册）',
    ],
  ],
  ['G5', ['P.5', 'Primary 5', '小五級']],
  ['G9', ['初三', '九年级', '9th Grade', '中三', '國三', '國中三年級', 'Form 3', 'Sec 3']],
  ['G10', ['高一', '高中一年级', '十年级', 'G10', '高一下学期', '高一（下）', '高一（下学期）', '中四級', 'F.4']],
  ['G12', ['高三', '高三全册', '十二年级', 'Grade 12', '高三全一册', '高三第二学期', '高三（第1学期）']],
  ['kindergarten', ['Kindergarten', ' kinderGarten ', 'ｋindergarten']],
  ['考研', ['考研']],
  ['必修(上)', ['必修（上）']],
  ['七年级(3)班', ['七年级（3）班']],
  ['g13', ['G13']],
  ['s1', ['S1']],
  ['中七', ['中七']],
  ['form 7', ['Form 7']],
])('the grade %s is also written %j', (grade, names) => {
  for (const name of names) expect([name, gradeOf(name)]).toEqual([name, grade]);
});

test.each([
  [1, ['1', '１', '1.0', '容易', '简单', 'easy', 'Very Easy', '★', '★☆☆☆☆', '一星']],
  [2, ['2', '较易', '偏易', 'fairly easy', '较易（0.85）', '较易题', '较易题（0.85）', '较低']],
  [
    3,
    [
      '3',
      '中等',
      '一般',
      'Medium',
      '三级',
      '⭐⭐⭐',
      '⭐\ufe0f⭐\ufe0f⭐\ufe0f',
      '🌟🌟🌟',
      '中档题',
      '中　等',
      '适中(0.65)',
      '中等难度',
      '难度：3',
    ],
  ],
  [4, ['4', '较难', 'fairly difficult', '中等偏上', '中上', '4颗星', '四星级', '较高', '难度较难']],
  [5, ['5', '困难', '很难', 'hard', 'HARD', '5星', '★★★★★', '高', 'High']],
  [undefined, ['0', '6', '2.5', '0.85', '', 'so-so', '★★★★★★', '3（难）', '(0.65)', '题', '难度']],
])('the difficulty %s is also written %j', (difficulty, names) => {
  for (const name of names) expect([name, difficultyOf(name)]).toEqual([name, difficulty]);
});

test('a coefficient of difficulty is the share of the points that students got', () => {
  const coefficients = ['1', '0.94', '0.85', '.75', '65%', '0.5', '0.40', '30 %', '0.15', '0.01'];
  expect(coefficients.map(difficultyOfCoefficient)).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
  expect(['0', '2', '101%', '-0.5', '', '容易'].map(difficultyOfCoefficient)).toEqual(Array(6).fill(undefined));
});

test('quality grades and subjects have their names in both languages', () => {
  expect(['优', '良好', '中', 'Excellent', 'b', '?'].map(qualityOf)).toEqual([
    'EXCELLENT',
    'GOOD',
    'FAIR',
    'EXCELLENT',
    'GOOD',
    undefined,
  ]);
  expect(
    ['數學科', '中國語文', '数学', 'Maths', '物理', '道德与法治', '书法', '数　学', '自　编'].map(subjectOf),
  ).toEqual(['math', 'chinese', 'math', 'math', 'physics', 'politics', '书法', 'math', '自 编']);
});

describe('the labels of a cell', () => {
  test('are separated by , ， ; ； 、 | and line breaks', () => {
    expect(splitLabels(' a, b，c;d；e、f | g\nh,,')).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    expect(splitLabels('路程/时间')).toEqual(['路程/时间']);
    expect(splitLabels('函数（导数、极值）、数列;f(x,y)')).toEqual(['函数（导数、极值）', '数列', 'f(x,y)']);
    expect(splitLabels('(1, 2), a) b; (c')).toEqual(['(1, 2)', 'a) b', '(c']);
  });

  test('may be a list as scripts write it', () => {
    for (const text of ['["有理数", "绝对值"]', "['有理数', '绝对值']", ' [ "有理数","绝对值" ]\n']) {
      expect(splitLabels(text)).toEqual(['有理数', '绝对值']);
    }
    expect(splitLabels("['one', 'f(x, y)',]")).toEqual(['one', 'f(x, y)']);
    expect(splitLabels(`['one', "sign's error", 'a\\'s "b"', 'x\\xb2\\n']`)).toEqual([
      'one',
      "sign's error",
      'a\'s "b"',
      'x²',
    ]);
    const labels = ['有理数', 'a "b"', '\\frac{1}{2}', 'a\nb'];
    expect(splitLabels(JSON.stringify(labels))).toEqual(labels);
    expect(splitLabels('["\\u6709\\u7406\\u6570"]')).toEqual(['有理数']);
    expect(['[]', ' [ ] ', "['']", '["无"]'].flatMap(splitLabels)).toEqual([]);
    expect(splitLabels(`[${' '.repeat(200_000)}'a'${' '.repeat(200_000)}`)).toHaveLength(1);
    expect(splitLabels('[1] 有理数、[2] 绝对值')).toEqual(['[1] 有理数', '[2] 绝对值']);
  });

  test('are none where the cell says so', () => {
    for (const text of ['无', ' 没有 ', 'None', 'N/A', '-', '－', '/', '无、none', 'nan', '——'])
      expect(splitLabels(text)).toEqual([]);
    expect(splitLabels('"无", 无理数, -1, a/b, none of these')).toEqual(['无', '无理数', '-1', 'a/b', 'none of these']);
    expect(splitLabels(joinLabels(['无', 'None', 'a']))).toEqual(['无', 'None', 'a']);
  });

  test('are parsed to the labels that were written, whatever they contain', () => {
    const label = fc.string({
      unit: fc.constantFrom(...'12.①。a题无,，;、|" /()）[]\''),
      maxLength: 8,
    });
    const labels = fc.array(label).map((all) => all.map((one) => one.trim()).filter((one) => one !== ''));
    fc.assert(
      fc.property(labels, (all) => {
        expect(splitLabels(joinLabels(all))).toEqual(all);
      }),
    );
  });
});

test('cleaning a text removes accidental characters, and keeps line breaks, LaTeX and Chinese punctuation', () => {
  const typed = '\ufeff　解方程：$\\frac{1}{2}x＝３$，  \r\n求\u00a0x。\u200b\n\n';
  expect(cleanText(typed)).toBe('解方程：$\\frac{1}{2}x=3$，\n求 x。');
});

test('every header of the specification and of exports is recognised, with any punctuation', () => {
  const headers = {
    questionText: [
      '题目',
      '题干',
      ' 题目* ',
      '【必填】题目',
      'Question',
      'Question Text',
      '题目（必填）',
      '【题目】（必填）',
      '错题题目',
    ],
    studentSolutionText: ['学生解法', '错解', 'student_solution', 'Wrong Answer', '学生错误答案', '错误做法'],
    goldSolutionBrief: [
      '正解',
      '解析',
      '参考答案',
      'Correct Solution',
      '答案及解析',
      '参考答案及解析',
      '订正',
      '解题思路',
    ],
    topicTags: ['知识点', 'topic_tags', 'Knowledge Points', '所属知识点', '相关知识点', '知识点1', '知识点 2'],
    errorTypes: ['错因', 'Error Types', '错误原因分析', 'Misconception', '出错原因', '失分原因', '错误类别'],
    grade: ['年级', 'Grade', 'Year Group'],
    subject: ['学科', '科目'],
    difficulty: ['难度', 'difficulty (1-5)', '难度星级', '难易', '【难度】'],
    qualityGrade: ['质量等级', 'quality'],
    source: ['来源', '出处', '错题来源'],
    notes: ['备注', '笔记'],
    occurredAt: ['时间', '日期', 'date', '考试日期', '出错时间', '出错日期', '做错日期', '发生日期'],
  };
  for (const [field, names] of Object.entries(headers))
    for (const name of names) expect([name, fieldOf(name)]).toEqual([name, field]);
  expect([fieldOf('序号'), fieldOf('老师'), fieldOf('（1）'), fieldOf('选项13')]).toEqual([
    ...[null, undefined, undefined, undefined],
  ]);
});

describe('in traditional characters', () => {
  test('headers are recognised', () => {
    const headers = '題目 選項 選項Ａ 錯誤解法 正確答案 知識點 錯因 學科 年級 難度 難度係數 來源 備註 時間 品質'.split(
      ' ',
    );
    expect(headers.map(fieldOf)).toEqual([
      ...['questionText', 'choices', 'choices', 'studentSolutionText', 'goldSolutionBrief', 'topicTags', 'errorTypes'],
      ...['subject', 'grade', 'difficulty', 'difficulty', 'source', 'notes', 'occurredAt', undefined],
    ]);
    expect([fieldOf('題號'), fieldOf('老師'), choiceLetter('選項Ｂ')]).toEqual([null, undefined, 'b']);
    expect(['錯題', '工作表1', '七年級錯題'].map(isNamed)).toEqual([false, false, true]);
  });

  test('values are those of simplified ones; other names are kept as they are written', () => {
    expect(['數學', '語文', '歷史', '道德與法治', '國文', '體育'].map(subjectOf)).toEqual([
      ...['math', 'chinese', 'history', 'politics', '國文', '體育'],
    ]);
    expect(['七年級', '小學六年級', '高一（上學期）', '學前班'].map(gradeOf)).toEqual(['G7', 'G6', 'G10', '學前班']);
    expect(['容易', '較易', '中等', '較難', '困難', '壓軸題', '難嗎'].map(difficultyOf)).toEqual([
      ...[1, 2, 3, 4, 5, 5, undefined],
    ]);
    expect(['優', '較好', '質'].map(qualityOf)).toEqual(['EXCELLENT', 'GOOD', undefined]);
    expect(splitLabels('無, 計算錯誤、沒有')).toEqual(['計算錯誤']);
    expect(splitLabels(joinLabels(['無', '計算錯誤']))).toEqual(['無', '計算錯誤']);
  });
});
