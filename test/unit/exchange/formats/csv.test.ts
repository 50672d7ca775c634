import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseImportOptions, parseMapping } from '../../../../src/domain/parse/import.js';
import { CsvParser } from '../../../../src/exchange/formats/read/csv-parser.js';
import { cardOf, inGb18030, problemsOf } from '../../../support/files.js';
import { runs } from '../../../support/runs.js';
import { contentReader } from './content-reader.js';

const read = await contentReader('csv');

const TABLE =
  '学科,年级,难度,题目,错解,正解,知识点,错因\n数学,六年级,较易,"解方程 $3(x-2)=12$,\n求 x",3x-2=12,x=6,方程、去括号,去括号漏乘；计算错误\n';

const CARD = {
  subject: 'math',
  grade: 'G6',
  difficulty: 2,
  questionText: '解方程 $3(x-2)=12$,\n求 x',
  studentSolutionText: '3x-2=12',
  goldSolutionBrief: 'x=6',
  topicTags: ['方程', '去括号'],
  errorTypes: ['去括号漏乘', '计算错误'],
};

describe('a CSV file', () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(TABLE, 'utf16le')]);
  test.each([
    ['UTF-8', TABLE],
    ['UTF-8 with a byte order mark', `\ufeff${TABLE}`],
    ['GB18030', inGb18030(TABLE)],
    ['UTF-16 with a byte order mark', utf16],
    ['lines that end in CR LF', TABLE.replace(/\n(?!求)/g, '\r\n')],
  ])('in %s is read without a wrong character', async (_, content) => {
    const { rows, notices } = await read(content);
    expect(rows.map(cardOf)).toEqual([expect.objectContaining(CARD)]);
    expect(notices).toEqual([]);
  });

  test.each([';', '\t'])('may have %j between its cells', async (delimiter) => {
    const { rows } = await read(
      `question${delimiter}subject${delimiter}difficulty\n1, 2 or 3?${delimiter}math${delimiter}3\n`,
    );
    expect(cardOf(rows[0])).toMatchObject({ questionText: '1, 2 or 3?', difficulty: 3 });
  });

  test('may have its columns in any order, in English, below a title, with unknown columns, which are reported', async () => {
    const { rows } = await read(
      'My mistakes,,,,,\n\nNo.,Difficulty (1-5)*,Teacher,Topic Tags,Question,Subject\n1,hard,Ms Li,"fractions, ratio",What is 1/2 of 3?,Maths\n',
    );
    expect(cardOf(rows[0])).toMatchObject({
      subject: 'math',
      difficulty: 5,
      topicTags: ['fractions', 'ratio'],
      questionText: 'What is 1/2 of 3?',
    });
  });

  test('has the choices of a question in columns of their own, or in one cell', async () => {
    const { rows } = await read(
      '科目,难度,题干,选项A,选项B,选项C\n数学,1,1+1 等于几？,2,B. 3,\n数学,1,只有一个,2,,\n数学,1,少一个,2,,3\n',
    );
    expect(cardOf(rows[0])).toMatchObject({ questionText: '1+1 等于几？', choices: ['2', 'B. 3'] });
    expect(cardOf(rows[1])).toMatchObject({ questionText: '只有一个\n2', choices: [] });
    expect(problemsOf(rows[2])).toMatchObject([
      { column: '选项C', reason: expect.stringContaining('an earlier choice is missing') },
    ]);
    const { rows: seven } = await read(
      '科目,难度,题干,选项Ａ,选项B,选项C,选项D,选项E,选项F,选项G\n英语,3,七选五,1|2,2,3,4,5,6,7\n',
    );
    expect(cardOf(seven[0])).toMatchObject({ choices: ['1|2', '2', '3', '4', '5', '6', '7'] });
    const { rows: cells } = await read('科目,难度,题干,选项\n数学,1,1+1 等于几？,A. 2  B. 3\n数学,1,几？,不分\n');
    expect(cardOf(cells[0])).toMatchObject({ questionText: '1+1 等于几？', choices: ['2', '3'] });
    expect(cardOf(cells[1])).toMatchObject({ questionText: '几？\n不分', choices: [] });
  });

  test('has defaults that are read as cells, for empty cells', async () => {
    const mapping = parseMapping(
      {
        defaults: {
          ...{
            subject: '数学',
            difficulty: '较易',
            choices: 'A. 2  B. 3',
            topicTags: '分数、约分',
            errorTypes: '粗心',
          },
          ...{ metadata: 'book: 5', attachments: 'https://a.example/1.png', qualityGrade: '优秀' },
          ...{ occurredAt: '2026-03-01', grade: '五年级' },
        },
        values: { errorTypes: { 粗心: ['计算错误'] } },
      },
      '',
    );
    const { rows } = await read('题干,难度,知识点\n1,,\n2,hard,小数\n', mapping);
    const card = {
      ...{ subject: 'math', difficulty: 2, choices: ['2', '3'], topicTags: ['分数', '约分'], errorTypes: ['计算错误'] },
      ...{ metadata: [{ key: 'book', value: '5' }], attachments: [expect.anything()], qualityGrade: 'EXCELLENT' },
      ...{ occurredAt: new Date('2026-03-01T00:00:00Z'), grade: 'G5' },
    };
    expect(rows.map(cardOf)).toMatchObject([card, { ...card, difficulty: 5, topicTags: ['小数'] }]);
    const wrong = parseMapping({ defaults: { subject: 'math', difficulty: 1, qualityGrade: 'best' } }, '');
    const { rows: bad } = await read('题干,质量等级\n1,\n2,good\n', wrong);
    expect(problemsOf(bad[0])).toMatchObject([{ reason: expect.stringContaining('"best" is not a quality grade') }]);
    expect(cardOf(bad[1])).toMatchObject({ qualityGrade: 'GOOD' });
  });

  test('has its header below a title that is a name of the question, also with defaults', async () => {
    const mapping = parseMapping({ defaults: { subject: 'math', difficulty: 1 } }, '');
    const { rows } = await read('错题,,\n班级：八（3）班,,\n序号,题干,知识点\n1,1+1=?,加法\n', mapping);
    expect(rows.map(cardOf)).toMatchObject([{ questionText: '1+1=?', topicTags: ['加法'] }]);
    const { rows: apart } = await read('错题,,\n,,\n班级：八（3）班,,\n序号,题干,知识点\n1,2+2=?,加法\n', mapping);
    expect(apart.map((row) => [row.row, cardOf(row).questionText])).toEqual([[5, '2+2=?']]);
    const { rows: alone } = await read('题目,页\n1+1=?,3\n\n2+2=?,4\n', mapping);
    expect(alone.map((row) => [row.row, cardOf(row).questionText])).toEqual([
      [2, '1+1=?'],
      [4, '2+2=?'],
    ]);
  });

  test.each([
    ...['option_?', 'Option-?', 'option ?*', '选项_?', '选项?.', '?.', '选项（?）', '选项【?】（必填）'],
    ...['?选项', '?项', '（?）', '（?）选项', '选项#', 'Option #'],
  ])('may call the columns of its choices %j: each keeps its letter, and is one choice', async (header) => {
    const names = ['A', 'B', 'C'].map((letter, place) => header.replace('?', letter).replace('#', `${place + 1}`));
    const { rows } = await read(
      `科目,难度,题干,${names.join(',')}\n数学,1,解方程组,x=1; y=2,x=2; y=1,A. 3  B. 4\n数学,1,少一个,,2,3\n`,
    );
    expect(cardOf(rows[0])).toMatchObject({ choices: ['x=1; y=2', 'x=2; y=1', 'A. 3  B. 4'] });
    expect(problemsOf(rows[1])).toMatchObject([{ column: names[2], reason: 'an earlier choice is missing' }]);
  });

  test('gives no choice the letter of one that is missing, also in columns that a mapping names', async () => {
    const mapping = parseMapping({ columns: { 甲: 'choices', 乙: 'choices', 丙: 'choices' } }, '');
    const header = '科目,难度,题干,甲,乙,丙\n';
    const { rows } = await read(`${header}数学,1,少一个,1,,3\n数学,1,两个,1,2,\n数学,1,一列,,A. 1 B. 2,\n`, mapping);
    expect(problemsOf(rows[0])).toMatchObject([{ column: '丙', reason: 'an earlier choice is missing' }]);
    expect(rows.slice(1).map((row) => cardOf(row).choices)).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]);
  });

  test('has metadata in a cell, as lines or as a JSON object', async () => {
    const { rows } = await read(
      '科目,难度,题干,元数据\n数学,1,a,"unit: 1\nclass：7b"\n数学,1,b,"{""unit"": ""1""}"\n数学,1,c,unit\n',
    );
    expect(cardOf(rows[0]).metadata).toEqual([
      { key: 'class', value: '7b' },
      { key: 'unit', value: '1' },
    ]);
    expect(cardOf(rows[1]).metadata).toEqual([{ key: 'unit', value: '1' }]);
    expect(problemsOf(rows[2])).toMatchObject([{ column: '元数据' }]);
  });

  test('reports a metadata cell of many blanks without a colon, or with a blank key, at once', async () => {
    const cell = `${' '.repeat(50_000)}b`;
    const { rows } = await read(`科目,难度,题干,元数据\n数学,1,a,"${cell}"\n数学,1,a," : b"\n`);
    for (const row of rows) expect(problemsOf(row)).toMatchObject([{ column: '元数据' }]);
  });

  test('is parsed by a mapping of its own names and values', async () => {
    const mapping = {
      columns: { Aufgabe: 'questionText', Stufe: 'difficulty', Klasse: 'grade', Datum: null },
      defaults: { subject: 'math' },
      values: { difficulty: { leicht: 1, schwer: 5 } },
    } as const;
    const { rows, notices } = await read(
      'Aufgabe;Stufe;Klasse;Datum\nWas ist 1+1?;leicht;6;gestern\nUnd 2+2?;mittel;6;heute\n',
      mapping,
    );
    expect(cardOf(rows[0])).toMatchObject({
      subject: 'math',
      difficulty: 1,
      grade: 'G6',
      questionText: 'Was ist 1+1?',
    });
    expect(problemsOf(rows[1])).toMatchObject([
      { row: 3, column: 'Stufe', reason: expect.stringContaining('"mittel" is not a difficulty') },
    ]);
    expect(notices).toEqual([]);
  });

  test.each([
    ['with a blank at its end', '答案 '],
    ['in full width', 'Ａntwort'],
    ['with an ideographic blank', '答案　一'],
    ['of two lines', '"答案\r\n一"', '答案\r\n一'],
  ])('is parsed by a mapping of a header %s', async (_, header, key = header) => {
    const table = `题目,学科,难度,${header}\n1+1=?,数学,1,3\n`;
    const mapped = (field: string | null) =>
      parseImportOptions({ mapping: JSON.stringify({ columns: { [key]: field } }) }).mapping;
    const wrong = cardOf((await read(table, mapped('studentSolutionText'))).rows[0]);
    expect(wrong).toMatchObject({ studentSolutionText: '3', goldSolutionBrief: null });
    const ignored = cardOf((await read(table, mapped(null))).rows[0]);
    expect(ignored).toMatchObject({ studentSolutionText: null, goldSolutionBrief: null });
    const asked = await read(`${header},学科,难度\n1+1=?,数学,1\n`, mapped('questionText'));
    expect(cardOf(asked.rows[0]).questionText).toBe('1+1=?');
  });

  test('is parsed by a mapping of values as given, or in half width', async () => {
    const known = { '（易）': 1, '①': 2, '1': 5 };
    const { mapping } = parseImportOptions({ mapping: JSON.stringify({ values: { difficulty: known } }) });
    const { rows } = await read('题目,学科,难度\na,数学,（易）\nb,数学,(易) \nc,数学,①\nd,数学,１\n', mapping);
    expect(rows.map((row) => cardOf(row).difficulty)).toEqual([1, 1, 2, 5]);
  });

  test('reports row and column of every invalid value, and continues', async () => {
    const { rows } = await read(
      [
        '学科,难度,题目,时间,质量等级',
        '数学,6,难度太大,,',
        '数学,2,,,',
        '数学,2,日期不对,2026-02-30,',
        '数学,2,日期含糊,03/04/2026,',
        '数学,2,等级不对,,超好',
        '数学,2,多了一格,,,,x',
        `数学,2,含有空字符\u0000,,`,
        '数学,2,好的,2026/3/1,优',
      ].join('\n'),
    );
    expect(rows.map((row) => [row.row, problemsOf(row)[0]?.column ?? null])).toEqual([
      [2, '难度'],
      [3, '题目'],
      [4, '时间'],
      [5, '时间'],
      [6, '质量等级'],
      [7, null],
      [8, '题目'],
      [9, null],
    ]);
    expect(cardOf(rows[7])).toMatchObject({ qualityGrade: 'EXCELLENT', occurredAt: new Date('2026-03-01T00:00:00Z') });
  });

  test('has every problem of a row reported, in the order of the columns', async () => {
    const { rows } = await read(
      `题目,难度,学科,质量等级,时间\n1+1=?,难极了,,超好,昨天\n2+2=?,1,${'长'.repeat(101)},,\n3+3=?,1,数学,优,\n`,
    );
    expect(rows.map((row) => problemsOf(row).map(({ row: at, column, reason }) => [at, column, reason]))).toEqual([
      [
        [2, '难度', expect.stringContaining('is not a difficulty')],
        [2, '学科', 'is required'],
        [2, '质量等级', expect.stringContaining('is not a quality grade')],
        [2, '时间', expect.stringContaining('is not a date')],
      ],
      [[3, '学科', 'must have at most 100 characters']],
      [],
    ]);
  });

  test('has its texts and labels kept unchanged, whatever blanks and widths they have', async () => {
    const { rows } = await read(
      '学科,难度,题目,错解,正解,知识点,备注\n数学,1," ＋＝－（　　）１２ \r\n x ",错\u00a0解　,\u200b正解,ＡＢ、 例１ ,＝\n',
    );
    expect(cardOf(rows[0])).toMatchObject({
      questionText: ' ＋＝－（　　）１２ \r\n x ',
      studentSolutionText: '错\u00a0解　',
      goldSolutionBrief: '\u200b正解',
      topicTags: ['ＡＢ', '例１'],
      notes: '＝',
    });
  });

  test('has only the row refused whose text is too long', async () => {
    const { rows } = await read(`subject,difficulty,question\nmath,1,${'长'.repeat(6_000)}\nmath,1,short\n`);
    expect(rows.map((row) => problemsOf(row)[0]?.column ?? null)).toEqual(['question', null]);
  });
});

/** A cell as a program writes it: in quotes where it must be, or anyway. */
function cellOf(text: string, anyway: boolean): string {
  return anyway || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

test('CSV is parsed the same in any chunks, and blank lines count as rows', () => {
  const cellArb = fc.record({
    text: fc.string({ unit: fc.constantFrom('a', '题', ',', '"', '\n', '\r', ' ', ';'), maxLength: 6 }),
    anyway: fc.boolean(),
  });
  const rowArb = fc.array(cellArb, { maxLength: 4 }).filter((cells) => cells.length !== 1 || cells[0]?.text !== '');
  const endArb = fc.constantFrom('\n', '\r\n', '\r');
  const cutsArb = fc.array(fc.nat(200), { maxLength: 6 });
  fc.assert(
    fc.property(fc.array(rowArb), endArb, fc.boolean(), cutsArb, (rows, end, isEnded, cuts) => {
      const lines = rows.map((cells) => cells.map(({ text, anyway }) => cellOf(text, anyway)).join(','));
      const text = lines.join(end) + (isEnded ? end : '');
      const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b);
      const parser = new CsvParser(',');
      const read = places.slice(1).flatMap((to, at) => parser.push(text.slice(places[at], to)));
      expect([...read, ...parser.end()]).toEqual(
        rows.flatMap((cells, at) =>
          cells.length === 0 ? [] : [{ row: at + 1, cells: cells.map((cell) => cell.text) }],
        ),
      );
    }),
    { numRuns: runs(1_000) },
  );
});
