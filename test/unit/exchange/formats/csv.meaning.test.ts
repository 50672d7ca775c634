import { describe, expect, test } from 'vitest';
import { parseMapping } from '../../../../src/domain/parse/import.js';
import { cardOf, inBig5, inGb18030, problemsOf } from '../../../support/files.js';
import { contentReader } from './content-reader.js';

const read = await contentReader('csv');

const inWindows1252 = (text: string): Uint8Array =>
  Buffer.from(
    text.replace(/[’“”…]/g, (sign) => '\x92\x93\x94\x85'['’“”…'.indexOf(sign)] ?? ''),
    'latin1',
  );

describe('a CSV file', () => {
  test.each([
    ['Big5', inBig5, '一個長方形的長是寬的兩倍，周長為36公分，求它的面積。'],
    ['GB18030', inGb18030, '一個長方形的長是寬的兩倍，周長為36公分，求它的面積。'],
    ['GB18030, with characters for private use', inGb18030, '已知函数的值域是\ue003，求\ue004的取值范围。'],
    ['Windows-1252', inWindows1252, 'It isn’t 30°C: “½ × 60 = …”, she said.'],
    ['Windows-1252, with one sign only', inWindows1252, 'What isn’t a prime number?'],
    ['GB18030, without Chinese', inGb18030, 'Find α, β and the area in ㎡.'],
  ])('is read as %s, by its frequent characters', async (_, encode, question) => {
    const { rows } = await read(encode(`question,subject,difficulty\n"${question}",math,2\n`));
    expect(rows.map(cardOf)).toEqual([expect.objectContaining({ questionText: question })]);
  });

  test('may not have the choices of a question in rows of their own', async () => {
    const { rows } = await read(
      '题目,学科,难度,选项\n1+1=?,数学,1,A. 1<br>B. 2\n1+2=?,数学,1,A. 2\n1+2=?,数学,1,B. 3\n,数学,1,C. 4\n',
    );
    expect(cardOf(rows[0])).toMatchObject({ questionText: '1+1=?', choices: ['1', '2'] });
    expect(rows.slice(2).map((row) => problemsOf(row).map(({ column, reason }) => [column, reason]))).toEqual([
      [['选项', 'an earlier choice is missing']],
      [
        ['题目', 'is required'],
        ['选项', 'must have at least 2 entries, or none'],
      ],
    ]);
  });

  test('may have texts of digits that Excel shall not read as numbers', async () => {
    const { rows } = await read('question,subject,difficulty,answer\n1+1=?,math,="2",="007"\n="a,b",math,1,=\n');
    expect(rows.map(cardOf)).toEqual([
      expect.objectContaining({ questionText: '1+1=?', difficulty: 2, goldSolutionBrief: '007' }),
      expect.objectContaining({ questionText: 'a,b', goldSolutionBrief: '=' }),
    ]);
  });

  test('may have the columns of a statistic of a test, whose name is a part of the source', async () => {
    const { rows } = await read(
      '学号,考试名称,出处,错题原文,我的错解,正确解题过程,做错原因,考察知识点,考试时间,学科,难度\n' +
        '7,期中考试,第 3 题,1+1=?,3,2,粗心,加法,2026/4/20,数学,1\n' +
        '8,期末考试,,1+2=?,4,3,粗心,加法,2026/7/1,数学,1\n',
    );
    expect(rows.map(cardOf)).toEqual([
      expect.objectContaining({
        ...{ source: '期中考试 第 3 题', questionText: '1+1=?', studentSolutionText: '3', goldSolutionBrief: '2' },
        ...{ errorTypes: ['粗心'], topicTags: ['加法'], occurredAt: new Date('2026-04-20') },
      }),
      expect.objectContaining({ source: '期末考试' }),
    ]);
  });

  test('may have the columns of an export of marked papers', async () => {
    const { rows, notices } = await read(
      '学科/科目,年级班级,试题难度,试题题干,学员答案,试题解析,一级知识点,二级知识点,错因标签,来源试卷,作业名称,教师点评\n' +
        '数学,七年级（1）班,易,-3²=?,9,-9,有理数,乘方,粗心,期中卷,周练 3,注意底数\n',
    );
    expect(rows.map(cardOf)).toEqual([
      expect.objectContaining({
        ...{ subject: 'math', grade: 'G7', difficulty: 1, questionText: '-3²=?', studentSolutionText: '9' },
        ...{ goldSolutionBrief: '-9', topicTags: ['有理数', '乘方'], errorTypes: ['粗心'], notes: '注意底数' },
        source: '期中卷 周练 3',
      }),
    ]);
    expect(notices).toEqual([]);
  });

  test('may say in a cell that there is no value, except in texts', async () => {
    const header = 'id,题目,学科,难度,年级,来源,日期,质量,附件,自定义数据,知识点,备注\n';
    const none = ['-', '无', 'None', 'nan', 'NaT', 'N/A', '/', '——', 'null', '暂无', '-'];
    const mapping = parseMapping({ defaults: { grade: 'G7', difficulty: 3, topicTags: '分数' } }, '');
    const { rows } = await read(
      `${header}${none.map((text, at) => `${text},${at},数学,${Array(9).fill(text)}\n`).join('')}`,
      mapping,
    );
    for (const [at, text] of none.entries()) {
      const card = { id: null, difficulty: 3, grade: 'G7', source: null, qualityGrade: null, attachments: [] };
      expect(cardOf(rows[at])).toMatchObject({ ...card, metadata: [], topicTags: [], notes: text });
      expect(rows[at]).toMatchObject({ dated: false });
    }
  });

  test.each(['无', '/', '-', 'N/A'])('may say in its choices that there are none: %s', async (none) => {
    const { rows } = await read(`题目,学科,难度,选项\n计算 3+4,数学,2,${none}\n何时？,数学,2,A. 有  B. ${none}\n`);
    expect(cardOf(rows[0])).toMatchObject({ questionText: '计算 3+4', choices: [] });
    expect(cardOf(rows[1])).toMatchObject({ questionText: '何时？', choices: ['有', none] });
    const { rows: lettered } = await read(`题目,学科,难度,选项A,选项B,选项C\n1,数学,2${`,${none}`.repeat(3)}\n`);
    expect(cardOf(lettered[0])).toMatchObject({ questionText: '1', choices: [] });
    const cells = [
      [none, '', none],
      ['', none, none],
      ['', '', none],
      [none, '', '3'],
    ];
    const { rows: gaps } = await read(
      `题目,学科,难度,选项A,选项B,选项C\n${cells.map((row, at) => `第${at}题,数学,2,${row}\n`).join('')}`,
    );
    for (const at of [0, 1, 2]) expect(cardOf(gaps[at])).toMatchObject({ questionText: `第${at}题`, choices: [] });
    expect(problemsOf(gaps[3])).toMatchObject([{ column: '选项C', reason: 'an earlier choice is missing' }]);
  });

  test('may have the grades of a script that writes whole numbers with a decimal', async () => {
    const { rows } = await read('题目,学科,难度,年级\n1,数学,2.0,7.0\n2,数学,2,７.0\n3,数学,2,7.5\n');
    expect(rows.map((row) => cardOf(row).grade)).toEqual(['G7', 'G7', '7.5']);
  });

  test('has columns that are mapped to metadata as entries with their headers, beside those of another cell', async () => {
    const mapping = parseMapping({ columns: { 题型: 'metadata', 得分: 'metadata' } }, '');
    const { rows, notices } = await read(
      '题目,学科,难度,题型,得分,自定义数据\n1,数学,2,填空题,3/5,"{""班"": ""3""}"\n2,数学,2,,0,\n3,数学,2,,,填空\n',
      mapping,
    );
    const metadata = [
      { key: '得分', value: '3/5' },
      { key: '班', value: '3' },
      { key: '题型', value: '填空题' },
    ].sort((a, b) => (a.key < b.key ? -1 : 1));
    expect(cardOf(rows[0]).metadata).toEqual(metadata);
    expect(cardOf(rows[1]).metadata).toEqual([{ key: '得分', value: '0' }]);
    expect(problemsOf(rows[2])).toMatchObject([{ column: '自定义数据' }]);
    expect(notices).toEqual([]);
  });

  test('may have classes as grades, which become the grade and an entry of the metadata, except in rows with an id', async () => {
    const mapping = parseMapping({ defaults: { grade: '高一（2）班' } }, '');
    const { rows } = await read(
      '题目,学科,难度,年级,id,自定义数据\n' +
        '1,数学,2,初二（3）班,,题型: 填空\n2,数学,2,八年级3班,,班级: 3 班\n3,数学,2,初二(3)班,c1,\n4,数学,2,,,\n',
      mapping,
    );
    const kind = { key: '题型', value: '填空' };
    expect(rows.map(cardOf)).toEqual([
      expect.objectContaining({ grade: 'G8', metadata: [{ key: '班级', value: '3班' }, kind] }),
      expect.objectContaining({ grade: 'G8', metadata: [{ key: '班级', value: '3 班' }] }),
      expect.objectContaining({ grade: '初二(3)班', metadata: [] }),
      expect.objectContaining({ grade: 'G10', metadata: [{ key: '班级', value: '2班' }] }),
    ]);
  });

  test.each(['["甲, 1", "乙"]', "['A. 甲, 1', 'B. 乙']", '{"A": "甲, 1", "B": "乙"}', "{'a': '甲, 1', 'b': '乙'}"])(
    'may have the choices of a question as %s, as scripts write them',
    async (choices) => {
      const { rows } = await read(`题目,学科,难度,选项\n1,数学,2,"${choices.replaceAll('"', '""')}"\n`);
      expect(cardOf(rows[0])).toMatchObject({ questionText: '1', choices: ['甲, 1', '乙'] });
    },
  );

  test.each(['{1, 2}', '["甲"]', '{"x": "1", "y": "2"}', '[1, 2]'])(
    'has the choices %s in the question',
    async (text) => {
      const { rows } = await read(`题目,学科,难度,选项\n1,数学,2,"${text.replaceAll('"', '""')}"\n`);
      expect(cardOf(rows[0])).toMatchObject({ questionText: expect.stringMatching(/^1\n/), choices: [] });
    },
  );
});
