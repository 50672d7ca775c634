import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PostgresImportJobStore } from '../../prisma/import-jobs.js';
import { PostgresNotebookStore } from '../../prisma/notebook.js';
import type { FileToImport } from '../../src/domain/import.js';
import { NO_MAPPING } from '../../src/domain/parse/import.js';
import { questionJudge } from '../../src/duplicates/judge.js';
import { Importer, type ImporterParts } from '../../src/importing/importer.js';
import { admin, type Fixture, newTenant, openFixture } from '../prisma/fixture.js';
import { until } from '../support/until.js';

let fixture: Fixture;
let folder: string;
let parts: ImporterParts;
beforeAll(async () => {
  fixture = await openFixture();
  folder = await mkdtemp(join(tmpdir(), 'errata-imports-'));
  parts = {
    jobs: new PostgresImportJobStore(fixture.database),
    notebook: new PostgresNotebookStore(fixture.database, fixture.dirty, questionJudge),
    judge: questionJudge,
    folder,
    alone: false,
    log: { warn: () => undefined, error: () => undefined },
  };
});
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true });
});

const FILE: FileToImport = {
  name: 'cards.jsonl',
  format: 'jsonl',
  options: { onDuplicate: 'MERGE', dryRun: false, mapping: NO_MAPPING },
};

/** A file of that many cards, in one piece. */
async function* fileOf(rows: number): AsyncGenerator<Buffer> {
  const line = (at: number): string =>
    `${JSON.stringify({ subject: 'math', difficulty: 1, questionText: `第 ${at} 题` })}\n`;
  yield Buffer.from(Array.from({ length: rows }, (_, at) => line(at)).join(''));
}

describe('a file that another gateway goes on with', () => {
  test('is left to that one, with the rows that are still to be stored', async () => {
    const viewer = admin(newTenant());
    let chunks = 0;
    // At its second chunk this gateway is late: the other one has just stored the same rows.
    const fold: ImporterParts['notebook']['fold'] = async (...args) => {
      chunks += 1;
      if (chunks === 2) await parts.notebook.fold(...args);
      return parts.notebook.fold(...args);
    };
    const importer = new Importer({ ...parts, notebook: { fold } });
    await importer.start();
    const { id } = await importer.importFile(viewer, FILE, fileOf(1_200));
    await until(async () => (await readdir(folder)).length === 0, { deadlineMs: 30_000, what: 'the copy to go' });
    await importer.close();
    expect(await importer.job(viewer, id)).toMatchObject({ state: 'RUNNING', read: 1_000, total: 1_200 });
    expect(chunks).toBe(2);
  });
});
