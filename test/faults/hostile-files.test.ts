import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresImportJobStore } from '../../prisma/import/import-jobs.js';
import { PostgresImportStore } from '../../prisma/import/import-store.js';
import type { FileFormat } from '../../src/domain/import.js';
import { NO_MAPPING } from '../../src/domain/parse/import.js';
import { questionJudge } from '../../src/exchange/duplicates/judge.js';
import { Importer } from '../../src/exchange/import/importer.js';
import { FILE_LIMITS } from '../support/files.js';
import { longestHold } from '../support/holds.js';
import { until } from '../support/until.js';
import { workbookOf } from '../support/zip.js';
import { type Fixture, newTenant, openFixture, student } from '../unit/prisma/fixture.js';

let fixture: Fixture;
let folder: string;
let jobs: PostgresImportJobStore;
let importer: Importer;
beforeAll(async () => {
  fixture = await openFixture();
  folder = await mkdtemp(join(tmpdir(), 'errata-imports-'));
  jobs = new PostgresImportJobStore(fixture.database);
  const imports = new PostgresImportStore(fixture.database, fixture.dirty, questionJudge, 2 ** 30);
  const log = { warn: () => undefined, error: () => undefined };
  importer = new Importer({ jobs, imports, folder, alone: false, fileLimits: FILE_LIMITS, log });
  await importer.start();
  // What is compiled and connected once is not held against the first file.
  await imported('jsonl', Buffer.from(card({ questionText: '1+1=?' })));
});
afterAll(async () => {
  await importer.close();
  await fixture.close();
  await rm(folder, { recursive: true });
});

const MB = 1024 * 1024;
const HEAD = 'subject,difficulty,question\n';

function lines(count: number, line: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => line(at)).join('');
}

function card(more: object): string {
  return `${JSON.stringify({ subject: 'math', difficulty: 1, ...more })}\n`;
}

/** The same question, made wrong on another day with another long solution. */
function mistake(at: number): string {
  const occurredAt = new Date(Date.UTC(2000, 0, 1 + at)).toISOString();
  return card({ questionText: '1+1=?', studentSolutionText: `${at}${'长'.repeat(5_000)}`, occurredAt });
}

/** Nearly the same question: every one has to be compared with all that are there. */
function nearlyAlike(at: number): string {
  const ending = String.fromCodePoint(0x4e00 + at).repeat(40);
  return card({ questionText: `${'某商店购进一批衬衫按标价的九折出售仍可获利'.repeat(3)}${ending}` });
}

async function* bodyOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

/** Sends a file and waits until its import has ended. */
async function imported(format: FileFormat, content: Buffer) {
  const viewer = student(newTenant(), 'li');
  const options = { onDuplicate: 'MERGE', dryRun: false, mapping: NO_MAPPING } as const;
  const { id } = await importer.importFile(viewer, { name: `a.${format}`, format, options }, bodyOf(content));
  await until(async () => (await readdir(folder)).length === 0, { deadlineMs: 55_000, what: 'the import to end' });
  return jobs.job(viewer, id);
}

/** Files by what they are made of, and what their import comes to. */
const FILES: readonly (readonly [string, FileFormat, () => string | Uint8Array, RegExp | object])[] = [
  ['blank lines', 'csv', () => HEAD + '\n'.repeat(4 * MB), /more than 1048576 rows/],
  ['rows that are too short', 'csv', () => HEAD + 'a\n'.repeat(500_000), /more than 10000 invalid rows/],
  ['rows without a header', 'csv', () => 'a\n'.repeat(500_000), /no header/],
  ['rows of empty cells', 'csv', () => HEAD + ',,,\n'.repeat(1_100_000), /more than 1048576 rows/],
  ['a quote that is not closed', 'csv', () => `${HEAD}"${'a\n'.repeat(4 * MB)}`, /is a quote not closed/],
  ['a header of brackets', 'csv', () => `${'('.repeat(MB / 2)},${HEAD}math,1,1+1=?\n`, { failed: 1 }],
  [
    'cells of blanks',
    'csv',
    () => HEAD + lines(100, () => `math,1,a${' '.repeat(16_000)}b\n`),
    { failed: 0, read: 100 },
  ],
  ['a list of commas', 'json', () => `[${','.repeat(4 * MB)}]`, /entry 1 is missing/],
  ['lists in lists', 'json', () => `[${'['.repeat(MB / 2)}${']'.repeat(MB / 2)}]`, { failed: 1 }],
  ['blank lines', 'jsonl', () => '\n'.repeat(4 * MB), /more than 1048576 lines/],
  ['a line of NULs', 'jsonl', () => '\0'.repeat(MB), { failed: 1 }],
  ['10,001 lines of NULs', 'jsonl', () => '\0\n'.repeat(10_001), /invalid rows, such as row 10001: is not valid JSON/],
  ['lines that begin with a character of two halves', 'jsonl', () => '😀\n'.repeat(2), { failed: 2 }],
  ['bad labels', 'jsonl', () => lines(50, () => card({ topicTags: Array(20_000).fill(7) })), { failed: 50 }],
  [
    'empty rows',
    'xlsx',
    () => workbookOf({ sheets: { a: `<sheetData>${'<row/>'.repeat(100_200)}` } }),
    /more than 100000/,
  ],
  ['mistakes that were made too often', 'jsonl', () => lines(250, mistake), { read: 250, failed: 50 }],
  ['questions that are nearly alike', 'jsonl', () => lines(400, nearlyAlike), { created: 400 }],
];

describe('a malicious file is handled without blocking the event loop', () => {
  test.each(FILES)('%s (%s)', async (_, format, content, outcome) => {
    // The bytes of megabytes of text are not made while the thread is watched.
    const made = Buffer.from(content());
    const hold = await longestHold(async () => {
      const job = await imported(format, made);
      if (outcome instanceof RegExp)
        expect(job).toMatchObject({ state: 'REFUSED', problem: expect.stringMatching(outcome) });
      else expect(job).toMatchObject({ state: 'DONE', ...outcome });
    });
    // At most 16 ms were seen; read on this thread, 64 KiB of blank lines held it for 1.6 s.
    expect(hold).toBeLessThan(100);
  });
});
