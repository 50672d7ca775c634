import { afterAll } from 'vitest';
import { PostgresImportJobStore } from '../../../prisma/import/import-jobs.js';
import { PostgresImportStore } from '../../../prisma/import/import-store.js';
import { NO_MAPPING } from '../../../src/domain/parse/import.js';
import type { Folded, JobStep } from '../../../src/domain/ports/imports.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { cardRow } from '../../../src/exchange/formats/rows.js';
import { FILE_LIMITS } from '../../support/files.js';
import { RowStorer } from '../../support/row-storer.js';
import { type Fixture, openFixture } from './fixture.js';

export const OPTIONS = { onDuplicate: 'MERGE', dryRun: false, mapping: NO_MAPPING } as const;

export interface ImportStoreWorld {
  readonly fixture: Fixture;
  readonly imports: PostgresImportStore;
  /** What was sent to the database, as text. */
  readonly statements: string[];
  readonly jobs: PostgresImportJobStore;
  /** Stores rows as an import does. */
  store(viewer: Viewer, rows: readonly object[], step?: JobStep | null): Promise<Folded | null>;
}

/** Imports into a database of the test file. */
export async function importStoreWorld(): Promise<ImportStoreWorld> {
  const statements: string[] = [];
  const fixture = await openFixture({ onQuery: (sql) => statements.push(sql) });
  afterAll(() => fixture.close());
  const imports = new PostgresImportStore(fixture.database, fixture.dirty, 2 ** 30);
  return {
    fixture,
    imports,
    statements,
    jobs: new PostgresImportJobStore(fixture.database),
    store(viewer, rows, step = null) {
      const storer = new RowStorer({ imports, viewer, options: OPTIONS, scope: '' });
      const prepared = rows.map((row, place) => {
        const cells = Object.entries({ subject: 'math', difficulty: 1, ...row }).map(([header, value]) => ({
          header,
          value,
        }));
        const parts = { mapping: NO_MAPPING, typed: true, now: new Date(), limits: FILE_LIMITS };
        return storer.prepare(cardRow({ sheet: null, row: place + 1, cells }, parts));
      });
      return storer.store(prepared, step);
    },
  };
}

export function teacher(tenantId: string): Viewer {
  return { tenantId, ownerId: 'teacher', role: 'teacher' };
}
