import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { Importer, type ImporterParts } from '../../../../src/exchange/import/importer.js';
import { WorkerSpentError } from '../../../../src/runtime/workers/worker-process.js';
import { deferred } from '../../../support/deferred.js';
import { until } from '../../../support/until.js';
import { admin, newTenant, student } from '../../prisma/fixture.js';
import { FILE, fileOf, importerWorld } from './importer-world.js';

const { folder, parts, imported, cancelRest, attemptsAt } = await importerWorld();

describe('a sixth file of one owner', () => {
  test('is refused before it is read, and accepted after one of the others has ended', async () => {
    const importer = new Importer(parts);
    await importer.start();
    const viewer = admin(newTenant());
    const arrival = deferred();
    async function* slow(): AsyncGenerator<Buffer> {
      await arrival.promise;
      yield* fileOf(1);
    }
    const five = Array.from({ length: 5 }, () => importer.importFile(viewer, FILE, slow()));
    let reads = 0;
    async function* counted(): AsyncGenerator<Buffer> {
      reads += 1;
      yield* fileOf(1);
    }
    await expect(importer.importFile(viewer, FILE, counted())).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      extensions: { retryAfterMs: expect.any(Number) },
    });
    expect(reads).toBe(0);
    // Whoever else it is, with the same name or in the same school, is not in the way.
    for (const other of [admin(newTenant()), { ...viewer, ownerId: 'li' }])
      await importer.importFile(other, FILE, fileOf(1));
    arrival.resolve();
    await Promise.all(five);
    await imported();
    await importer.importFile(viewer, FILE, counted());
    expect(reads).toBe(1);
    await cancelRest(importer);
    await imported();
    await importer.close();
  });

  test('is refused while the others wait', async () => {
    const turn = deferred();
    const fold: ImporterParts['imports']['fold'] = async (...args) => {
      await turn.promise;
      return parts.imports.fold(...args);
    };
    const importer = new Importer({ ...parts, imports: { fold } });
    await importer.start();
    const viewer = admin(newTenant());
    const five = [1, 2, 3, 4, 5].map((rows) => importer.importFile(viewer, FILE, fileOf(rows)));
    await until(async () => (await readdir(folder)).length === 5, { deadlineMs: 30_000, what: 'the files to come' });
    await expect(importer.importFile(viewer, FILE, fileOf(6))).rejects.toThrow(/has 5 unfinished files of this viewer/);
    await cancelRest(importer);
    turn.resolve();
    await Promise.all(five);
    await imported();
    await importer.close();
  });
});

describe('a file that exceeds the limits of its reader', () => {
  const limits = { cpuMs: 1, memoryMb: 768 };

  test('has two attempts, also across a restart', async () => {
    const viewer = admin(newTenant());
    const spent = deferred();
    const stop = (): void => {
      void first.close();
      spent.resolve();
    };
    const first: Importer = new Importer({ ...parts, limits, log: { ...parts.log, warn: stop } });
    await first.start();
    const { id } = await first.importFile(viewer, FILE, fileOf(60_000));
    await spent.promise;
    await first.close();
    expect(await parts.jobs.job(viewer, id)).toMatchObject({ finishedAt: null });
    const second = new Importer({ ...parts, limits });
    await second.start();
    await imported();
    await second.close();
    expect(await parts.jobs.job(viewer, id)).toMatchObject({
      state: 'FAILED',
      problem: expect.stringMatching(/processor time or 768 MB of memory: split the file/),
    });
    expect(await attemptsAt(id)).toBe(2);
    expect((await parts.jobs.underWay()).map(({ job }) => job.id)).not.toContain(id);
  });

  test('does not block the next file', async () => {
    const viewer = admin(newTenant());
    const fold: ImporterParts['imports']['fold'] = async () => {
      throw new WorkerSpentError('120 s of processor time', 'as it was folded');
    };
    const folds = [fold, fold, parts.imports.fold.bind(parts.imports)];
    const importer = new Importer({ ...parts, imports: { fold: (...args) => (folds.shift() ?? fold)(...args) } });
    await importer.start();
    const ids = await Promise.all(
      [1, 2].map(async (rows) => (await importer.importFile(viewer, FILE, fileOf(rows))).id),
    );
    await imported();
    await importer.close();
    const states = await Promise.all(ids.map(async (id) => (await parts.jobs.job(viewer, id)).state));
    expect(states.sort()).toEqual(['DONE', 'FAILED']);
  });
});

test('the 41st file of a school is refused before it is read, and not one of another school', async () => {
  const [north, south] = [newTenant(), newTenant()];
  const importer = new Importer(parts);
  const arrival = deferred();
  async function* late(): AsyncGenerator<Buffer> {
    await arrival.promise;
    yield Buffer.from('');
    throw new Error('the client is gone');
  }
  await importer.start();
  const sent = Array.from({ length: 40 }, (_, at) => importer.importFile(student(north, `s${at}`), FILE, late()));
  await expect(importer.importFile(student(north, 'zhao'), FILE, fileOf(1))).rejects.toThrow(
    /has 40 unfinished files of this school/,
  );
  await importer.importFile(student(south, 'chen'), FILE, fileOf(1));
  arrival.resolve();
  await Promise.allSettled(sent);
  await importer.importFile(student(north, 'zhao'), FILE, fileOf(1));
  await imported();
  await importer.close();
});

test('schools take turns, and the owners of a school', async () => {
  const [north, south] = [newTenant(), newTenant()];
  const turn = deferred();
  const order: string[] = [];
  const fold: ImporterParts['imports']['fold'] = async (viewer, ...rest) => {
    await turn.promise;
    order.push(viewer.ownerId);
    return parts.imports.fold(viewer, ...rest);
  };
  let queued = 0;
  const begin: ImporterParts['jobs']['begin'] = async (...args) => {
    const begun = await parts.jobs.begin(...args);
    queued += 1;
    return begun;
  };
  const jobs = Object.create(parts.jobs, { begin: { value: begin } }) as ImporterParts['jobs'];
  const importer = new Importer({ ...parts, imports: { fold }, jobs });
  await importer.start();
  const sent: Promise<unknown>[] = [];
  for (const name of ['li', 'li', 'wang', 'wang', 'zhao']) {
    sent.push(importer.importFile(student(north, name), FILE, fileOf(sent.length + 1)));
    await until(() => queued === sent.length, { deadlineMs: 30_000, what: 'the file to wait for its turn' });
  }
  sent.push(importer.importFile(student(south, 'chen'), FILE, fileOf(1)));
  await until(() => queued === sent.length, { deadlineMs: 30_000, what: 'the last file to wait for its turn' });
  turn.resolve();
  await Promise.all(sent);
  await imported();
  await importer.close();
  expect(order).toEqual(['li', 'chen', 'wang', 'zhao', 'li', 'wang']);
});
