import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Prisma } from '../../../../prisma/generated/client.js';
import { BadInputError } from '../../../../src/domain/errors.js';
import { NO_COUNTS } from '../../../../src/domain/import.js';
import type { Viewer } from '../../../../src/domain/viewer.js';
import { Importer, type ImporterParts } from '../../../../src/exchange/import/importer.js';
import { deferred } from '../../../support/deferred.js';
import { makeFolder } from '../../../support/folder.js';
import { until } from '../../../support/until.js';
import { NO_NAMES } from '../../../support/vocabulary.js';
import { admin, newTenant } from '../../prisma/fixture.js';
import { FILE, fileOf, importerWorld } from './importer-world.js';

const { fixture, folder, parts, imported, attemptsAt } = await importerWorld();

test('a starting gateway finishes a job whose rows are all stored, after another one was killed', async () => {
  const viewer = admin(newTenant());
  const id = randomUUID();
  const { options } = FILE;
  await parts.jobs.begin(viewer, { id, key: 'rows:k', body: null, name: 'rows', format: 'rows', options });
  await parts.jobs.checked(viewer, id, 1, []);
  const bad = { failed: true, sheet: null, row: 1, column: null, reason: 'bad', content: null };
  const folded = { drafts: [], files: [], counts: { ...NO_COUNTS, read: 1, failed: 1 }, problems: [bad], rows: [] };
  const wanted = {
    ids: [],
    keys: [],
    bands: [],
    origins: [],
    labels: { topicTags: [], errorTypes: [] },
    files: [],
    heldBytes: 0,
  };
  await parts.imports.fold(viewer, wanted, () => folded, { step: { jobId: id, read: 0 }, dryRun: false });
  const next = new Importer(parts);
  await next.start();
  await next.close();
  expect(await parts.jobs.job(viewer, id)).toMatchObject({ state: 'DONE', failed: 1 });
});

test('an import of rows that was lost with its gateway fails, and one that has just begun goes on', async () => {
  const viewer = admin(newTenant());
  const { options } = FILE;
  const [lost, fresh] = [randomUUID(), randomUUID()];
  for (const id of [lost, fresh]) {
    await parts.jobs.begin(viewer, { id, key: `rows:${id}`, body: null, name: 'rows', format: 'rows', options });
  }
  await parts.jobs.checked(viewer, lost, 1, []);
  await fixture.database.execute(
    Prisma.sql`UPDATE import_job SET created_at = now() - interval '10 minutes' WHERE id = ${lost}::uuid`,
  );
  const importer = new Importer(parts);
  await importer.start();
  const ended = async () => (await parts.jobs.job(viewer, lost)).finishedAt !== null;
  await until(ended, { deadlineMs: 30_000, what: 'the lost import to end' });
  await importer.close();
  expect(await parts.jobs.job(viewer, lost)).toMatchObject({
    state: 'FAILED',
    problem: 'the gateway ended before a row was stored: import them again',
  });
  expect(await parts.jobs.job(viewer, fresh)).toMatchObject({ state: 'CHECKING' });
});

test('a file that cannot be removed is logged, and stops neither the start nor the import', async () => {
  const stuck = await makeFolder('imports');
  const warned: string[] = [];
  const log = { ...parts.log, warn: (_fields: object, message: string) => warned.push(message) };
  try {
    // A folder is not removed as a file is.
    await mkdir(join(stuck.path, 'leftover'));
    const viewer = admin(newTenant());
    const attempts = async (...args: Parameters<ImporterParts['jobs']['attempt']>): Promise<number | null> => {
      const path = join(stuck.path, args[1]);
      await rm(path);
      await mkdir(path);
      throw new BadInputError('file', 'cannot be read');
    };
    const jobs = Object.create(parts.jobs, { attempt: { value: attempts } }) as ImporterParts['jobs'];
    const importer = new Importer({ ...parts, folder: stuck.path, log, jobs });
    await importer.start();
    const { id } = await importer.importFile(viewer, FILE, fileOf(1));
    await until(async () => warned.length === 2, { deadlineMs: 30_000, what: 'both files to be tried' });
    expect(await parts.jobs.job(viewer, id)).toMatchObject({ state: 'FAILED' });
    await importer.close();
    expect(warned).toEqual(Array(2).fill('the file of an import could not be removed'));
  } finally {
    await stuck.remove();
  }
});

/** An importer that begins to fold a file and is closed; `attempted`: the attempts of the job meanwhile. */
async function closedWhileFolding(viewer: Viewer, rows: number): Promise<{ id: string; attempted?: number }> {
  const [begun, closed] = [deferred(), deferred()];
  const fold: ImporterParts['imports']['fold'] = async (_viewer, _wanted, decide) => {
    begun.resolve();
    await closed.promise;
    return decide({ cards: [], taken: new Set(), foreign: new Set(), labels: NO_NAMES, files: new Map() });
  };
  const importer = new Importer({ ...parts, imports: { fold } });
  await importer.start();
  const { id } = await importer.importFile(viewer, FILE, fileOf(rows));
  await begun.promise;
  const attempted = await attemptsAt(id);
  const closing = importer.close();
  closed.resolve();
  await closing;
  return { id, attempted };
}

test('an attempt that the gateway aborts is not counted', async () => {
  const viewer = admin(newTenant());
  const { id, attempted } = await closedWhileFolding(viewer, 1_200);
  expect([attempted, await attemptsAt(id), (await readdir(folder)).length]).toEqual([1, 0, 1]);
  await parts.jobs.cancel(viewer, id);
  const next = new Importer(parts);
  await next.start();
  await next.close();
  expect(await readdir(folder)).toEqual([]);
});

test('a file that has lost its end fails, and says how many rows were read', async () => {
  const viewer = admin(newTenant());
  const { id } = await closedWhileFolding(viewer, 1_200);
  await writeFile(join(folder, id), fileOf(700));
  const second = new Importer(parts);
  await second.start();
  await imported();
  await second.close();
  expect(await parts.jobs.job(viewer, id)).toMatchObject({
    ...{ state: 'FAILED', read: 700, total: 1_200, created: 700 },
    problem: 'the file ended after 700 of 1200 rows: import it again',
  });
});

test('an end that cannot be stored is retried at most once a second, until it is stored', async () => {
  const viewer = admin(newTenant());
  const calls: number[] = [];
  const finish: ImporterParts['jobs']['finish'] = (...args) => {
    calls.push(performance.now());
    return calls.length < 3 ? Promise.reject(new Error('broken')) : parts.jobs.finish(...args);
  };
  const jobs = new Proxy(parts.jobs, {
    get: (store, name) => (name === 'finish' ? finish : Reflect.get(store, name).bind(store)),
  });
  const importer = new Importer({ ...parts, jobs });
  const { id } = await importer.importFile(viewer, FILE, fileOf(1));
  await imported();
  await importer.close();
  expect(await parts.jobs.job(viewer, id)).toMatchObject({ state: 'FAILED', created: 1 });
  expect(calls).toHaveLength(3);
  expect((calls[2] as number) - (calls[0] as number)).toBeGreaterThan(1_900);
});
