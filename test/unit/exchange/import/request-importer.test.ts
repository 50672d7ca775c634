import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresImportJobStore } from '../../../../prisma/import/import-jobs.js';
import { PostgresImportStore } from '../../../../prisma/import/import-store.js';
import { importRowConnection } from '../../../../resolvers/import/import.resolver.js';
import { ConflictError } from '../../../../src/domain/errors.js';
import type { ImportJob, ImportOptions } from '../../../../src/domain/import.js';
import { NO_MAPPING } from '../../../../src/domain/parse/import.js';
import type { ImportJobStore } from '../../../../src/domain/ports/imports.js';
import type { Viewer } from '../../../../src/domain/viewer.js';
import { RequestImporter, type RequestImporterParts } from '../../../../src/exchange/import/request-importer.js';
import { FILE_LIMITS } from '../../../support/files.js';
import { turnCounter } from '../../../support/turns.js';
import { admin, type Fixture, newTenant, openFixture } from '../../prisma/fixture.js';

let fixture: Fixture;
let jobs: PostgresImportJobStore;
let imports: PostgresImportStore;
const logged: string[] = [];
beforeAll(async () => {
  fixture = await openFixture();
  jobs = new PostgresImportJobStore(fixture.database);
  imports = new PostgresImportStore(fixture.database, fixture.dirty, 2 ** 30);
});
afterAll(() => fixture.close());

const OPTIONS: ImportOptions = { onDuplicate: 'MERGE', dryRun: false, mapping: NO_MAPPING };
const ROWS = [{ subject: 'math', difficulty: 1, questionText: '1+1=?' }];
const DRY: ImportOptions = { ...OPTIONS, dryRun: true };

function importer(over: Partial<RequestImporterParts> = {}): RequestImporter {
  const log = { error: (_facts: object, message: string) => void logged.push(message) };
  return new RequestImporter({
    jobs,
    imports,
    fileLimits: FILE_LIMITS,
    log,
    ...over,
  });
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

test('many rows of formulas are read in turns: other requests are answered meanwhile', async () => {
  const viewer = admin(newTenant());
  const counter = turnCounter();
  const watched = Object.create(jobs) as ImportJobStore;
  watched.begin = async (...begun) => {
    const begin = await jobs.begin(...begun);
    counter.start();
    return begin;
  };
  watched.checked = (...checked) => {
    counter.stop();
    return jobs.checked(...checked);
  };
  const text = String.raw`$\frac{1}{2} + x^{2} = \sqrt{3}$ `.repeat(12);
  const rows = Array.from({ length: 500 }, (_, place) => ({ ...ROWS[0], questionText: `${place} ${text}` }));
  expect(await send(importer({ jobs: watched }), viewer, { key: null, rows })).toMatchObject({ created: 500 });
  expect(counter.turns).toBeGreaterThan(3);
});

describe('rows whose gateway was killed', () => {
  test.each(['before it looked at them', 'before it stored them'])(
    '%s are stored when the request is repeated with its key',
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

  test('after it stored them are not stored again, and the job ends', async () => {
    const viewer = admin(newTenant());
    await expect(send(importer({ jobs: failing('finish') }), viewer, { key: 'k' })).rejects.toThrow('no finish');
    expect(await send(importer(), viewer, { key: 'k' })).toMatchObject({ state: 'DONE', created: 1 });
    expect(await occurrences(viewer)).toEqual([1]);
  });
});

describe('rows that cannot be stored', () => {
  const fold = (): Promise<never> => Promise.reject(new Error('no fold'));

  test('are a failed job, and may be sent again with their key', async () => {
    const viewer = admin(newTenant());
    await expect(send(importer({ imports: { fold } }), viewer, { key: 'k' })).rejects.toThrow('no fold');
    expect(await jobs.underWay()).toEqual([]);
    expect(await send(importer(), viewer, { key: 'k' })).toMatchObject({ state: 'DONE', created: 1 });
  });

  test('are answered with the reason, even if the failure cannot be stored', async () => {
    logged.length = 0;
    const broken = importer({ imports: { fold }, jobs: failing('finish') });
    await expect(send(broken, admin(newTenant()), { key: null })).rejects.toThrow('no fold');
    expect(logged).toEqual(['the failure of an import could not be stored']);
  });

  test('are not failed if they were stored and only the response was lost', async () => {
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
  test('makes concurrent requests one import', async () => {
    const viewer = admin(newTenant());
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(importer(), viewer, { key: 'k' })));
    expect(new Set(answers.map(({ id, state }) => `${id} ${state}`))).toEqual(new Set([`${answers[0]?.id} DONE`]));
    expect(await occurrences(viewer)).toEqual([1]);
  });

  test('with other rows or options is a conflict, during and after the import', async () => {
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

  test('is valid for its owner only', async () => {
    const viewer = admin(newTenant());
    await send(importer(), viewer, { key: 'k' });
    expect(await send(importer(), { ...viewer, ownerId: 'li' }, { key: 'k', options: DRY })).toMatchObject({
      created: 1,
    });
  });
});

test('each request without a key is a separate import', async () => {
  const viewer = admin(newTenant());
  const [first, second] = [
    await send(importer(), viewer, { key: null }),
    await send(importer(), viewer, { key: null }),
  ];
  expect(second.id).not.toBe(first.id);
  expect(await occurrences(viewer)).toEqual([2]);
});

describe('each row of a request', () => {
  const rows = [
    { id: 'first', subject: 'math', difficulty: 1, questionText: '3/4 + 1/8 = ?' },
    { subject: 'math', difficulty: 1, questionText: '3/4 + 1/8 = ?' },
    { subject: 'math', difficulty: 9, questionText: ' ', topicTags: ['x'.repeat(401)] },
    { subject: 'math', difficulty: 2, questionText: '唐朝的首都在哪里' },
  ];

  test('is reported with its outcome, card and problems, also when the request is repeated', async () => {
    const viewer = admin(newTenant());
    const { id } = await send(importer(), viewer, { key: 'k', rows });
    const told = await jobs.rows(viewer, id);
    const created = (await imports.cardsAfter(viewer, {}, null, 10)).map((card) => card.id);
    expect(told).toEqual([
      { outcome: 'created', cardId: 'first' },
      { outcome: 'merged', cardId: 'first' },
      { outcome: 'failed', cardId: null },
      { outcome: 'created', cardId: created.find((one) => one !== 'first') },
    ]);
    const problems = await jobs.problems(viewer, id, 10, 0);
    expect(problems.map(({ row, column }) => [row, column])).toEqual([
      [3, 'difficulty'],
      [3, 'questionText'],
      [3, 'topicTags'],
    ]);
    expect((await send(importer(), viewer, { key: 'k', rows })).id).toBe(id);
    expect(await jobs.rows(viewer, id)).toEqual(told);
    expect(await jobs.rows(admin(newTenant()), id)).toBeNull();
    const again = await send(importer(), viewer, { key: null, rows: rows.slice(0, 1) });
    expect(await jobs.rows(viewer, again.id)).toEqual([{ outcome: 'skipped', cardId: 'first' }]);
  });

  test('has no card if a dry run would create it', async () => {
    const viewer = admin(newTenant());
    const { id } = await send(importer(), viewer, { key: null, rows, options: DRY });
    const ids = (await jobs.rows(viewer, id))?.map(({ outcome, cardId }) => [outcome, cardId]);
    expect(ids).toEqual([
      ['created', null],
      ['merged', null],
      ['failed', null],
      ['created', null],
    ]);
  });

  test('is on exactly one page, whatever the page size', () => {
    const all = rows.map((_row, place) => ({ outcome: 'created' as const, cardId: `c${place}` }));
    const seen: string[] = [];
    for (let after: string | null = null; ; ) {
      const page = importRowConnection('i1', all, { first: 3, after });
      seen.push(...page.nodes.map(({ row, cardId }) => `${row} ${cardId}`));
      expect([page.totalCount, page.pageInfo.hasPreviousPage]).toEqual([4, after !== null]);
      if (!page.pageInfo.hasNextPage) break;
      after = page.pageInfo.endCursor;
    }
    expect(seen).toEqual(['1 c0', '2 c1', '3 c2', '4 c3']);
    expect(() => importRowConnection('i1', all, { first: 3, after: 'cm93IDk' })).toThrow('after: is not a cursor');
  });
});
