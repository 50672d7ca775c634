import { readdir } from 'node:fs/promises';
import { afterAll } from 'vitest';
import { Prisma } from '../../../../prisma/generated/client.js';
import { PostgresImportJobStore } from '../../../../prisma/import/import-jobs.js';
import { PostgresImportStore } from '../../../../prisma/import/import-store.js';
import { type FileToImport } from '../../../../src/domain/import.js';
import { NO_MAPPING } from '../../../../src/domain/parse/import.js';
import type { Importer, ImporterParts } from '../../../../src/exchange/import/importer.js';
import { FILE_LIMITS } from '../../../support/files.js';
import { folderOfFile } from '../../../support/folder.js';
import { until } from '../../../support/until.js';
import { type Fixture, openFixture } from '../../prisma/fixture.js';

export const FILE: FileToImport = {
  name: 'cards.jsonl',
  format: 'jsonl',
  options: { onDuplicate: 'MERGE', dryRun: false, mapping: NO_MAPPING },
};

/** A file of that many cards, in one piece. */
export async function* fileOf(rows: number): AsyncGenerator<Buffer> {
  const line = (at: number): string =>
    `${JSON.stringify({ subject: 'math', difficulty: 1, questionText: `第 ${at} 题` })}\n`;
  yield Buffer.from(Array.from({ length: rows }, (_, at) => line(at)).join(''));
}

export interface ImporterWorld {
  readonly fixture: Fixture;
  /** Where the files are until they are imported. */
  readonly folder: string;
  readonly parts: ImporterParts;
  /** Waits until every file has been dealt with. */
  imported(): Promise<void>;
  /** Cancels the files that are left, each of which would be read by a process of its own. */
  cancelRest(importer: Importer): Promise<void>;
  /** How many attempts a job has that did not end in order. */
  attemptsAt(id: string): Promise<number | undefined>;
}

/** The world of a test file; it ends with the last test. */
export async function importerWorld(): Promise<ImporterWorld> {
  const fixture = await openFixture();
  afterAll(() => fixture.close());
  const { path: folder } = await folderOfFile('imports');
  const parts: ImporterParts = {
    jobs: new PostgresImportJobStore(fixture.database),
    imports: new PostgresImportStore(fixture.database, fixture.dirty, 2 ** 30),
    folder,
    alone: false,
    fileLimits: FILE_LIMITS,
    log: { warn: () => undefined, error: () => undefined },
  };
  return {
    fixture,
    folder,
    parts,
    async imported() {
      await until(async () => (await readdir(folder)).length === 0, { deadlineMs: 30_000, what: 'the files to go' });
    },
    async cancelRest(importer) {
      for (const { viewer, job } of await parts.jobs.underWay()) await importer.cancel(viewer, job.id);
    },
    async attemptsAt(id) {
      const [job] = await fixture.database.query<{ attempts: number }>(
        Prisma.sql`SELECT attempts FROM import_job WHERE id = ${id}::uuid`,
      );
      return job?.attempts;
    },
  };
}
