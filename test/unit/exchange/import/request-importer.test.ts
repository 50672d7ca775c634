import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresImportJobStore } from '../../../../prisma/import-jobs.js';
import { PostgresImportStore } from '../../../../prisma/import-store.js';
import { ConflictError } from '../../../../src/domain/errors.js';
import type { ImportJob, ImportOptions } from '../../../../src/domain/import.js';
import { NO_MAPPING } from '../../../../src/domain/parse/import.js';
import type { ImportJobStore } from '../../../../src/domain/ports/imports.js';
import type { Viewer } from '../../../../src/domain/viewer.js';
import { questionJudge } from '../../../../src/exchange/duplicates/judge.js';
import { RequestImporter, type RequestImporterParts } from '../../../../src/exchange/import/request-importer.js';
import { admin, type Fixture, newTenant, openFixture } from '../../prisma/fixture.js';

let fixture: Fixture;
let jobs: PostgresImportJobStore;
let imports: PostgresImportStore;
const logged: string[] = [];
beforeAll(async () => {
  fixture = await openFixture();
  jobs = new PostgresImportJobStore(fixture.database);
  imports = new PostgresImportStore(fixture.database, fixture.dirty, questionJudge);
});
afterAll(() => fixture.close());

const OPTIONS: ImportOptions = { onDuplicate: 'MERGE', dryRun: false, mapping: NO_MAPPING };
const ROWS = [{ subject: 'math', difficulty: 1, questionText: '1+1=?' }];
const DRY: ImportOptions = { ...OPTIONS, dryRun: true };

function importer(over: Partial<RequestImporterParts> = {}): RequestImporter {
  const log = { error: (_facts: object, message: string) => void logged.push(message) };
  return new RequestImporter({ jobs, imports, judge: questionJudge, files: jobs, log, ...over });
}

/** As the API sends it: the body is all that the import depends on. */
function send(
  to: RequestImporter,
  viewer: Viewer,
  { key, rows = ROWS, options = OPTIONS }: { key: string | null; rows?: readonly object[]; options?: ImportOptions },
): Promise<ImportJob> {
  const request = key === null ? null : { key, body: JSON.stringify([options, rows]) };
  return to.importInputs(viewer, rows, options, request);
}

/** The jobs, of which one method fails. */
function failing(method: 'checked' | 'finish'): ImportJobStore {
  const broken = Object.create(jobs) as ImportJobStore;
  broken[method] = () => Promise.reject(new Error(`no ${method}`));
  return broken;
}

const occurrences = async (viewer: Viewer): Promise<readonly number[]> =>
  (await imports.cardsAfter(viewer, {}, null, 10)).map((card) => card.occurrences);

describe('rows whose gateway was killed', () => {
  test.each(['before it looked at them', 'before it stored them'])(
    '%s are stored when their key comes again',
    async (when) => {
      const viewer = admin(newTenant());
      const body = JSON.stringify([OPTIONS, ROWS]);
      const begun = { id: randomUUID(), key: 'rows:k', body, name: 'rows', format: 'rows', options: OPTIONS } as const;
      const { job } = await jobs.begin(viewer, begun);
      if (when === 'before it stored them') await jobs.checked(viewer, job.id, ROWS.length, []);
      expect(await send(importer(), viewer, { key: 'k' })).toMatchObject({ id: job.id, state: 'DONE', created: 1 });
      expect(await occurrences(viewer)).toEqual([1]);
    },
  );

  test('after it stored them are not stored again, and their job ends', async () => {
    const viewer = admin(newTenant());
    await expect(send(importer({ jobs: failing('finish') }), viewer, { key: 'k' })).rejects.toThrow('no finish');
    expect(await send(importer(), viewer, { key: 'k' })).toMatchObject({ state: 'DONE', created: 1 });
    expect(await occurrences(viewer)).toEqual([1]);
  });
});

describe('rows that cannot be stored', () => {
  const fold = (): Promise<never> => Promise.reject(new Error('no fold'));

  test('are a job that failed, and may be sent again with their key', async () => {
    const viewer = admin(newTenant());
    await expect(send(importer({ imports: { fold } }), viewer, { key: 'k' })).rejects.toThrow('no fold');
    expect(await jobs.underWay()).toEqual([]);
    expect(await send(importer(), viewer, { key: 'k' })).toMatchObject({ state: 'DONE', created: 1 });
  });

  test('are answered with why, also where it cannot be kept that they failed', async () => {
    logged.length = 0;
    const broken = importer({ imports: { fold }, jobs: failing('finish') });
    await expect(send(broken, admin(newTenant()), { key: null })).rejects.toThrow('no fold');
    expect(logged).toEqual(['the failure of an import could not be stored']);
  });

  test('have not failed where they were stored and only the answer was lost', async () => {
    const viewer = admin(newTenant());
    const lost: typeof fold = async (...args: unknown[]) => {
      await imports.fold(...(args as Parameters<typeof imports.fold>));
      throw new Error('the connection broke');
    };
    await expect(send(importer({ imports: { fold: lost } }), viewer, { key: 'k' })).rejects.toThrow('connection');
    expect(await send(importer(), viewer, { key: 'k' })).toMatchObject({ state: 'DONE', created: 1 });
    expect(await occurrences(viewer)).toEqual([1]);
  });
});

describe('a key', () => {
  test('makes requests one import, however many come at once', async () => {
    const viewer = admin(newTenant());
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(importer(), viewer, { key: 'k' })));
    expect(new Set(answers.map(({ id, state }) => `${id} ${state}`))).toEqual(new Set([`${answers[0]?.id} DONE`]));
    expect(await occurrences(viewer)).toEqual([1]);
  });

  test('that comes with other rows or options is a conflict, while the import is under way and when it is done', async () => {
    const viewer = admin(newTenant());
    const others = { options: { options: DRY }, rows: { rows: [{ ...ROWS[0], questionText: '2+2=?' }] } };
    for (const [key, other] of Object.entries(others)) {
      const fold: RequestImporterParts['imports']['fold'] = async (...args) => {
        await expect(send(importer(), viewer, { key, ...other })).rejects.toThrow(ConflictError);
        return imports.fold(...args);
      };
      await send(importer({ imports: { fold } }), viewer, { key });
      await expect(send(importer(), viewer, { key, ...other })).rejects.toThrow(ConflictError);
    }
    expect(await occurrences(viewer)).toEqual([2]);
  });

  test("is its sender's own", async () => {
    const viewer = admin(newTenant());
    await send(importer(), viewer, { key: 'k' });
    expect(await send(importer(), { ...viewer, ownerId: 'li' }, { key: 'k', options: DRY })).toMatchObject({
      created: 1,
    });
  });
});

test('a request without a key is an import of its own', async () => {
  const viewer = admin(newTenant());
  const [first, second] = [
    await send(importer(), viewer, { key: null }),
    await send(importer(), viewer, { key: null }),
  ];
  expect(second.id).not.toBe(first.id);
  expect(await occurrences(viewer)).toEqual([2]);
});
