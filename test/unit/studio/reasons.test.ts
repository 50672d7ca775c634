import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import type { BadInputError } from '../../../src/domain/errors.js';
import type { ColumnMapping } from '../../../src/domain/import.js';
import { jsonRow } from '../../../src/exchange/formats/read/jsonl.js';
import { cardRow } from '../../../src/exchange/formats/rows.js';
import { CellError, type CellValue } from '../../../src/exchange/formats/source.js';
import { wordingOf } from '../../../studio/app/wording.js';
import { type KnownReason, knownReason } from '../../../studio/exchange/reasons.js';
import { zh } from '../../../studio/messages/zh/index.js';
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

const GOOD = { subject: 'math', difficulty: 3, questionText: 'x' };

const BAD_CELLS: readonly Readonly<Record<string, CellValue>>[] = [
  {},
  { ...GOOD, questionText: 'a\u0000b' },
  { ...GOOD, questionText: '题'.repeat(6_000) },
  { ...GOOD, subject: 'a'.repeat(101) },
  { ...GOOD, difficulty: 9 },
  { ...GOOD, difficulty: '很难吗' },
  { ...GOOD, qualityGrade: 'best' },
  { ...GOOD, occurredAt: '01/02/2026' },
  { ...GOOD, id: '#1' },
  { ...GOOD, notes: new CellError('#REF!') },
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
    const fold = readFileSync(join(packageRoot(), 'src/exchange/import/fold.ts'), 'utf8');
    const written = [...fold.matchAll(/(?:refused\(\s*|reason: )(['`])(.+?)\1/g)].map(([, , text]) =>
      (text ?? '').replace(/\$\{([^}]+)\}/g, (_, value: string) => (/length|MAX/.test(value) ? '7' : 'card-1')),
    );
    expect(written.length).toBeGreaterThanOrEqual(8);
    expect(written.filter((reason) => knownReason(reason) === undefined)).toEqual([]);
  });

  test('of skipped parts and refused files are told in the language of the reader', async () => {
    const folder = await makeFolder('reasons');
    const sheets = { 一: rowsXml([['题目', '', '学科', '难度']]), 二: rowsXml([['题目']]), 说明: rowsXml([['无']]) };
    const rows = rowsXml([
      ['题目', '', '学科', '难度'],
      ['1+1=?', '', '数学', '2', '多余'],
    ]);
    const workbook = workbookOf({ sheets: { ...sheets, 一: rows }, hidden: ['二'], more: [PICTURE] });
    const { rows: read, notices } = await readAll(await folder.write('a.xlsx', workbook));
    const beyond = read.flatMap((row) => ('problems' in row ? row.problems.map(({ reason }) => reason) : []));
    const headers = ['甲', '题目,学科', '题目,难度', '题目,错因', '题目,题干,学科,难度,学科'];
    const refusals = headers.map(async (header) => {
      const file = await folder.write(`${header}.csv`, `${header}\n1,2\n`);
      return readAll(file).then(String, (error: BadInputError) => error.problem);
    });
    const said = [...notices, ...beyond, ...(await Promise.all(refusals))];
    await folder.remove();
    expect(said).toHaveLength(10);
    expect(said.filter((reason) => knownReason(reason) === undefined)).toEqual([]);
    const { key, values } = knownReason('the column "题型" is skipped: it is not a field of a card') as KnownReason;
    expect(wordingOf('zh-CN').t(key, values)).toBe('列“题型”没有导入：卡片没有对应的字段');
  });

  test('keep the values of the sentence', () => {
    const known = knownReason('must be a whole number from 1 to 5');
    expect(known).toEqual({ key: 'reason.whole', values: { min: '1', max: '5' } });
    expect(zh['reason.whole']).toBe('必须是 {min} 到 {max} 的整数');
    expect(knownReason('a sentence of a later version')).toBeUndefined();
  });
});
