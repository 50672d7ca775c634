import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { FILE_TYPES } from '../../../src/domain/attachment.js';
import type { BadInputError } from '../../../src/domain/errors.js';
import type { ColumnMapping } from '../../../src/domain/import.js';
import { parseFileName } from '../../../src/domain/parse/import.js';
import { jsonRow } from '../../../src/exchange/formats/read/jsonl.js';
import { cardRow } from '../../../src/exchange/formats/rows.js';
import { CellError, type CellValue } from '../../../src/exchange/formats/source.js';
import { refusedType } from '../../../src/http/transfers.js';
import { wordingOf } from '../../../studio/app/wording.js';
import { zh } from '../../../studio/messages/zh/index.js';
import { columnText, type KnownReason, knownReason, reasonText, refusalText } from '../../../studio/ui/reasons.js';
import { FILE_LIMITS, makeFolder, readAll } from '../../support/files.js';
import { rowsXml, workbookOf } from '../../support/zip.js';

const mapping: ColumnMapping = { columns: {}, values: {}, defaults: {} };

/** The reasons that the gateway gives for a row with these cells. */
function reasonsOf(cells: Readonly<Record<string, CellValue>>, typed = true): readonly string[] {
  const source = {
    sheet: null,
    row: 2,
    cells: Object.entries(cells).map(([header, value]) => ({ header, value })),
  };
  const row = cardRow(source, { mapping, typed, now: new Date(), limits: FILE_LIMITS });
  return ('problems' in row ? row.problems : row.notices).map(({ reason }) => reason);
}

const PICTURE = { name: 'xl/media/image1.png', content: 'x' };

/** As the reader of workbooks says it. */
const NO_VALUE = 'of a formula without a computed value: open and save the file once';

const GOOD = { subject: 'math', difficulty: 3, questionText: 'x' };

const BAD_CELLS: readonly Readonly<Record<string, CellValue>>[] = [
  {},
  { ...GOOD, questionText: 'a\u0000b' },
  { ...GOOD, questionText: '题'.repeat(6_000) },
  { ...GOOD, subject: 'a'.repeat(101) },
  { ...GOOD, difficulty: 9 },
  { ...GOOD, difficulty: '很难吗' },
  { ...GOOD, 难度: '0.65', difficulty: undefined },
  { ...GOOD, qualityGrade: 'best' },
  { ...GOOD, occurredAt: '01/02/2026' },
  { ...GOOD, id: '#1' },
  { ...GOOD, notes: new CellError('#REF!') },
  { ...GOOD, notes: new CellError(NO_VALUE) },
  { ...GOOD, notes: new CellError('of an invalid date') },
  { ...GOOD, 正解: new Date('2026-01-02') },
  { ...GOOD, topicTags: Array.from({ length: 200 }, (_, tag) => `tag ${tag}`) as never },
  { ...GOOD, questionText: [1] as never },
  { ...GOOD, metadata: 'no list' },
  { ...GOOD, choices: ['12'] as never },
  { ...GOOD, choices: ['12', '1\n5'] as never },
  { ...GOOD, A: '12', C: '15' },
  { ...GOOD, occurrences: [] as never },
  { ...GOOD, occurrences: [{ occurredAt: '2026-03-01T08:30:00Z', color: 'red' }] as never },
  { ...GOOD, occurrences: [{ occurredAt: 'yesterday' }, null] as never },
];

describe('the reasons of an import', () => {
  test('of cells, in every way that a row can be bad, are told in the language of the reader', () => {
    const reasons = [...new Set(BAD_CELLS.flatMap((cells) => reasonsOf(cells)))];
    expect(reasons.length).toBeGreaterThan(14);
    expect(reasons.filter((reason) => knownReason(reason) === undefined)).toEqual([]);
    // No part of a sentence in English is left.
    const values = reasons.flatMap((reason) => Object.values(knownReason(reason)?.values ?? {}));
    expect(values.filter((value) => / (?:of|without) |^of /.test(value))).toEqual([]);
  });

  test('of lines that are no JSON object are told in the language of the reader', () => {
    const lines = ['{"a": 1', '[1]', `{${Array.from({ length: 2_000 }, (_, i) => `"f${i}":1`).join(',')}}`];
    const rows = [...lines.map((line) => Buffer.from(line)), Buffer.from([0x7b, 0xff, 0x7d])].map((line) =>
      jsonRow(1, line),
    );
    const reasons = rows.map((row) => ('problem' in row ? row.problem : 'none'));
    expect(new Set(reasons).size).toBe(4);
    expect(reasons.filter((reason) => knownReason(reason) === undefined)).toEqual([]);
  });

  test('of cards that are there already are told in the language of the reader', () => {
    const sources = ['fold.ts', 'kept-fields.ts'].map((name) =>
      readFileSync(join(packageRoot(), 'src/exchange/import', name), 'utf8'),
    );
    const written = [...sources.join('\n').matchAll(/(?:refused\(\s*|reason: )(['`])(.+?)\1/g)].map(([, , text]) =>
      (text ?? '').replace(/\$\{([^}]+)\}/g, (_, value: string) =>
        /length|MAX|more/.test(value) ? '7' : value === 'kept' ? 'grade, notes' : 'card-1',
      ),
    );
    expect(written.length).toBeGreaterThanOrEqual(8);
    expect(written.filter((reason) => knownReason(reason) === undefined)).toEqual([]);
    const kept = 'the card a keeps its own difficulty, metadata: a row with this id changes them';
    expect(reasonText(kept, wordingOf('zh-CN'))).toContain('卡片 a 不一致，这些字段未改动（难度、自定义数据）');
    expect(reasonText(kept, wordingOf('en'))).toContain('(Difficulty, Metadata)');
  });

  test('are shown with the column as the file names it, behind the name of its field', () => {
    const columns = ['subject', '学科', 'Question', 'id'];
    expect(columns.map((one) => columnText(one, wordingOf('zh-CN')))).toEqual([
      '学科 (subject)',
      '学科',
      'Question',
      '编号 (id)',
    ]);
    expect(columns.map((one) => columnText(one, wordingOf('en')))).toEqual(columns);
  });

  test('of skipped parts and refused files are told in the language of the reader', async () => {
    const folder = await makeFolder('reasons');
    const rows = rowsXml([
      ['题目', '', '学科', '难度'],
      ['1+1=?', '甲', '数学', '2', '多余'],
      ['一、选择题'],
      ['合计', '', '', '12'],
    ]);
    const totals = rowsXml([
      ['题目', '学科', '难度'],
      ...[['一、选择题'], ['小计', '', '3']],
      ...[['二、填空题'], ['合计', '', '4']],
    ]);
    const sheets = { 一: rows, 二: rowsXml([['题目']]), 三: totals, 说明: rowsXml([['无']]) };
    const workbook = workbookOf({ sheets, hidden: ['二'], more: [PICTURE] });
    const { rows: read, notices } = await readAll(await folder.write('a.xlsx', workbook));
    const beyond = read.flatMap((row) => ('problems' in row ? row.problems.map(({ reason }) => reason) : []));
    const headers = ['甲', '题目,学科', '题目,难度', '题目,错因', '题目,题干,学科,难度,学科'];
    const refusals = headers.map(async (header) => {
      const file = await folder.write(`${header}.csv`, `${header}\n1,2\n`);
      return readAll(file).then(String, (error: BadInputError) => error.problem);
    });
    const said = [...notices, ...beyond, ...(await Promise.all(refusals))];
    await folder.remove();
    expect([said.length, said.filter((reason) => knownReason(reason) === undefined)]).toEqual([14, []]);
    const { key, values } = knownReason('the column "题型" is skipped: it is not a field of a card') as KnownReason;
    expect(wordingOf('zh-CN').t(key, values)).toBe('列“题型”没有导入：卡片没有对应的字段');
  });

  test('of files that are refused as a whole are told in the language of the reader', async () => {
    const folder = await makeFolder('refused');
    const table = { 一: rowsXml([['题目', '学科', '难度']]) };
    const files: Readonly<Record<string, string | Uint8Array>> = {
      'text.xlsx': '题目',
      'password.xlsx': Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'cut.xlsx': workbookOf({ sheets: table }).subarray(0, -40),
      'macros.xlsx': workbookOf({ sheets: table, more: [{ name: 'xl/vbaProject.bin', content: 'x' }] }),
      'links.xlsx': workbookOf({ sheets: table, more: [{ name: 'xl/externalLinks/a.xml', content: 'x' }] }),
      'formula.xlsx': workbookOf({ sheets: table, more: [{ name: 'xl/embeddings/oleObject1.bin', content: 'x' }] }),
      'utf16.csv': Buffer.from([0xcc, 0x00, 0xff]),
      'mixed.csv': Buffer.concat([Buffer.from('题目\n'), Buffer.from([0xb4, 0xf0, 0x0a])]),
      'quote.csv': '题目,学科,难度\n他说"好",语文,1\n',
      'behind.csv': '题目,学科,难度\n"他说"好,语文,1\n',
      'open.csv': '题目,学科,难度\n"他说,语文,1\n',
      'rows.json': '{"code": 0}',
      'cut.json': '[{"题目": "1"}',
    };
    const refusals = Object.entries(files).map(async ([name, content]) =>
      readAll(await folder.write(name, content)).then(String, (error: BadInputError) => error.message),
    );
    const endings = 'xls xlsm xlsb ods docx'.split(' ').map((ending) => {
      try {
        return parseFileName(`错题.${ending}`, 'name').name;
      } catch (thrown) {
        return (thrown as BadInputError).message;
      }
    });
    const said = [...(await Promise.all(refusals)), ...endings, 'file: has no rows'];
    await folder.remove();
    expect(said.filter((reason) => knownReason(reason) === undefined)).toEqual([]);
    expect(new Set(said.map((reason) => knownReason(reason)?.key)).size).toBe(17);
  });

  test('of files that are too large say what is', () => {
    const read = (file: string): string => readFileSync(join(packageRoot(), 'src', file), 'utf8');
    const formats = 'csv-parser encoding jsonl workbook xlsx zip'.split(' ');
    const files = formats.map((name) => `exchange/formats/read/${name}.ts`);
    const source = [...files, 'exchange/import/reader/chunks.ts', 'http/transfers.ts'].map(read).join('\n');
    const written = source.matchAll(
      /[`']((?:the file )?(?:is larger than|unpacks to|exceeds the size limit|has more than) [^`'\n]+)[`']/g,
    );
    const said = [...written].map(([, text]) => (text ?? '').replace(/\$\{[^}]+\}/g, '7'));
    const inSheet = said.map((text) => (text.includes('empty ones') ? `the sheet "七" ${text}` : text));
    expect(inSheet.map((text) => [text.slice(0, 40), knownReason(text)?.key])).toEqual([
      ['has more than 7 rows, including blank on', 'reason.lines'],
      ['has more than 7 lines', 'reason.lines'],
      ['has more than 7 lines', 'reason.lines'],
      ['has more than 7 fields', 'reason.fields'],
      ['exceeds the size limit of a workbook: sp', 'reason.tooMuchText'],
      ['the sheet "七" has more than 100000 rows,', 'reason.lines'],
      ['unpacks to 7 MB: at most 7 are read', 'reason.unpacked'],
      ['unpacks to more than 7 times its size, m', 'reason.damaged'],
      ['is larger than 7 MB: split the file', 'reason.tooLarge'],
      ['has more than 7 rows: split the file', 'reason.rows'],
      ['has more than 7 invalid rows, such as ro', 'reason.badRows'],
      ['the file is larger than 7 MB: 7', 'reason.tooLarge'],
    ]);
    expect(reasonText('file: is larger than 32 MB: split the file', wordingOf('zh-CN'))).toContain('32 MB');
    const rows = inSheet.filter((text) => /lines$|rows, /.test(text) && !text.includes('invalid'));
    expect(rows.map((text) => reasonText(text, wordingOf('en')))).toEqual([
      'has more than 7 rows, and blank rows count: delete those, or split the file',
      ...Array(2).fill('has more than 7 rows, and blank rows count: delete those, or split the file'),
      '“七” has more than 100000 rows, and blank rows count: delete those, or split the file',
    ]);
  });

  test('that the readers of files and rows, and the import itself, can give are all told in that language', () => {
    const source = (folder: string, pattern: RegExp): string =>
      readdirSync(join(packageRoot(), folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => pattern.test(name))
        .map((name) => readFileSync(join(packageRoot(), folder, name), 'utf8'))
        .join('\n');
    const all = [
      source('src/exchange/formats', /^(?:read\/.*|header|header-row|card-input|rows)\.ts$/),
      source('src/exchange/import', /^(?:fold|folded-files|importer|import-job|reader\/chunks)\.ts$/),
      source('src/domain/parse', /^(?:attachments|card|images)\.ts$/),
      source('prisma/cards', /^uploaded-files\.ts$/),
    ].join('\n');
    const call = String.raw`(?:BadInputError\(\s*(?:'file'|field),|[rR]efused?\(|CellProblem\(|onNotice\(|(?:problem|reason|message|error): |TOO_MANY_ATTACHMENTS =|max =)`;
    const examples: readonly (readonly [RegExp, string])[] = [
      [/\$\{(?:shown|JSON\.stringify)\([^}]+\}/g, '"七"'],
      [/^(has) \$\{where\}/, '$1 no header'],
      [/\$\{where\}/, 'row 7'],
      [/\$\{lacking\.join[^}]+\}/, 'subject'],
      [/\$\{encoding[^}]+\}/, 'UTF-16LE'],
      [/(nor) \$\{name\}/, '$1 Big5'],
      [/\$\{cause\}/, ''],
      [/\$\{kept\}/, 'grade'],
      [/\$\{thrown\.message\}(?=: split)/, 'it takes more than 7 minutes'],
      [/\$\{[^}]+\}/g, '7'],
    ];
    const written = [...all.matchAll(RegExp(`${call}\\s*([\`'])(.+?)\\1`, 'g'))].map(([, , text]) =>
      examples.reduce((sentence, [pattern, value]) => sentence.replace(pattern, value), text ?? ''),
    );
    // Some are the ends of sentences that begin with a row, a sheet or a part of the workbook.
    const isKnown = (end: string): boolean =>
      ['', 'row 7 ', 'the sheet "七" ', 'xl/styles.xml '].some((begin) => knownReason(begin + end) !== undefined);
    const beginnings = ['row 7 7', 'the sheet "七" 7', '7 7'];
    expect(written.length).toBeGreaterThan(70);
    expect([...new Set(written)].filter((reason) => !isKnown(reason))).toEqual(beginnings);
  });

  test('of too many bad rows give one of them as an example', () => {
    const text = (problem: string, language: 'en' | 'zh-CN'): string =>
      reasonText(`file: has more than 10000 invalid rows, such as row 12: ${problem}`, wordingOf(language));
    const difficulty = 'difficulty: "a:\nb" is not a difficulty: 1 to 5';
    expect(text(difficulty, 'en')).toMatch(/10000 .* row 12: difficulty: “a:\nb” is not a difficulty/s);
    expect(text(difficulty, 'zh-CN')).toMatch(/10000 .*第 12 行：difficulty: “a:\nb”不是难度/s);
    expect(text('is not valid JSON: at 3', 'zh-CN')).toMatch(/第 12 行：不是有效的 JSON$/);
    expect(text('a sentence: of a later version', 'zh-CN')).toMatch(/第 12 行：a sentence: of a later version$/);
  });

  test('of a header say which sheet it is in', () => {
    const places = ['sheet "七（3）班", row 2', 'row 1'].map((place) => `(${place}): add it, or give a default`);
    const lacking = places.map((place) => knownReason(`file: has no column for subject ${place}`)?.values);
    expect(lacking).toEqual([
      { sheet: '“七（3）班” ', row: '2' },
      { sheet: '', row: '1' },
    ]);
    for (const key of [
      'noSubject',
      'noDifficulty',
      'noSubjectAndDifficulty',
      'sameColumns',
      'sameNames',
      'unnamedColumn',
    ] as const)
      expect(zh[`reason.${key}`]).toContain('{sheet}第 {row} 行');
  });

  test('name columns and sheets on one line, as the file has them', () => {
    const header = JSON.stringify('原题\n照片 "A"');
    const reason = `the column ${header} is skipped: it is not a field of a card`;
    expect(reasonText(reason, wordingOf('zh-CN'))).toBe('列“原题 照片 "A"”没有导入：卡片没有对应的字段');
  });

  test('of a refused field begin with its name', () => {
    const error = { field: 'input.choices', message: 'input.choices: must have at least 2 entries, or none' };
    expect(refusalText(error, wordingOf('zh-CN'))).toBe(`选项：${zh['reason.fewEntries'].replace('{min}', '2')}`);
    expect(refusalText({ field: 'file', message: 'file: has no rows' }, wordingOf('zh-CN'))).toBe(zh['reason.noRows']);
    const later = { field: 'input.choices', message: 'input.choices: a sentence of a later version' };
    expect(refusalText(later, wordingOf('zh-CN'))).toBeUndefined();
  });

  test('of a file that cannot be attached name the types that can', () => {
    const request = { headers: { 'content-type': 'image/bmp' }, routeOptions: { url: '/attachments' } };
    const { message } = refusedType(request as FastifyRequest, FILE_TYPES);
    expect(refusalText({ field: null, message }, wordingOf('zh-CN'))).toBe('文件类型只能是 PNG, JPEG, GIF, WEBP, PDF');
    const other = { field: 'file', message: 'file: declared as image/jpeg, but the content is of another type' };
    expect(refusalText(other, wordingOf('zh-CN'))).toBe('文件名表示类型是 jpeg，但内容是另一种类型');
  });

  test.each(['all uploaded files', 'the uploaded files of a student'])('of full room for %s tell its size', (files) => {
    const message = `the attachment exceeds the limit of ${files}: 102.4 of 102.4 MB are used: delete attachments`;
    expect(refusalText({ field: null, message }, wordingOf('zh-CN'))).toMatch(/已用 102\.4 MB，共 102\.4 MB/);
  });

  test('keep the values of the sentence', () => {
    const known = knownReason('must be a whole number from 1 to 5');
    expect(known).toEqual({ key: 'reason.whole', values: { min: '1', max: '5' } });
    expect(zh['reason.whole']).toBe('必须是 {min} 到 {max} 的整数');
    expect(knownReason('a sentence of a later version')).toBeUndefined();
  });
});
