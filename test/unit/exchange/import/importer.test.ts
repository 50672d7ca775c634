import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresFileStore } from '../../../../prisma/cards/uploaded-files.js';
import { Prisma } from '../../../../prisma/generated/client.js';
import { PostgresImportJobStore } from '../../../../prisma/import/import-jobs.js';
import { PostgresImportStore } from '../../../../prisma/import/import-store.js';
import { BadInputError, ForbiddenError, NotFoundError } from '../../../../src/domain/errors.js';
import { type FileToImport, type ImportJob, NO_COUNTS } from '../../../../src/domain/import.js';
import { NO_MAPPING } from '../../../../src/domain/parse/import.js';
import type { Viewer } from '../../../../src/domain/viewer.js';
import { questionJudge } from '../../../../src/exchange/duplicates/judge.js';
import { Importer, type ImporterParts } from '../../../../src/exchange/import/importer.js';
import { WorkerSpentError } from '../../../../src/runtime/workers/worker-process.js';
import { FILE_LIMITS } from '../../../support/files.js';
import { imageOf } from '../../../support/images.js';
import { until } from '../../../support/until.js';
import { NO_NAMES } from '../../../support/vocabulary.js';
import { admin, dirtyRows, type Fixture, newTenant, openFixture, student } from '../../prisma/fixture.js';

let fixture: Fixture;
let folder: string;
let parts: ImporterParts;
beforeAll(async () => {
  fixture = await openFixture();
  folder = await mkdtemp(join(tmpdir(), 'errata-imports-'));
  parts = {
    jobs: new PostgresImportJobStore(fixture.database),
    imports: new PostgresImportStore(fixture.database, fixture.dirty, questionJudge, 2 ** 30),
    folder,
    alone: false,
    fileLimits: FILE_LIMITS,
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

/** Waits until every file has been dealt with. */
async function imported(): Promise<void> {
  await until(async () => (await readdir(folder)).length === 0, { deadlineMs: 30_000, what: 'the files to go' });
}

/** What is waited for, and what ends the waiting. */
function gate(): readonly [Promise<void>, () => void] {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [opened, () => open()];
}

describe('a file whose rows hold files', () => {
  const png = (bytes: number): Buffer => imageOf('image/png', { pixels: randomBytes(bytes) });
  const rowWith = (id: string, data: Buffer): string =>
    `${JSON.stringify({ id, subject: 'math', difficulty: 1, questionText: id, attachments: [{ kind: 'QUESTION', data: data.toString('base64') }] })}\n`;
  async function* body(rows: readonly string[]): AsyncGenerator<Buffer> {
    yield Buffer.from(rows.join(''));
  }
  const finished = async (importer: Importer, viewer: Viewer, rows: readonly string[]): Promise<ImportJob> => {
    const { id } = await importer.importFile(viewer, FILE, body(rows));
    await imported();
    return parts.jobs.job(viewer, id);
  };

  test('has them stored with its cards, byte for byte', async () => {
    const viewer = student(newTenant(), 'amy');
    const importer = new Importer(parts);
    await importer.start();
    const files = [png(2_000_000), png(10)];
    const rows = files.map((data, place) => rowWith(`card-${place}`, data));
    expect(await finished(importer, viewer, rows)).toMatchObject({ state: 'DONE', created: 2, failed: 0 });
    const cards = await fixture.cards.byIds(viewer, ['card-0', 'card-1']);
    for (const [place, data] of files.entries()) {
      const [attachment] = cards.get(`card-${place}`)?.attachments ?? [];
      expect(attachment).toMatchObject({ kind: 'QUESTION', contentType: 'image/png', bytes: data.length });
      const stored = await new PostgresFileStore(fixture.database, 2 ** 30).read(viewer, String(attachment?.sha256));
      expect(stored?.content.equals(data)).toBe(true);
    }
    expect(await finished(importer, viewer, rows)).toMatchObject({ state: 'DONE', skipped: 2 });
    await importer.close();
  }, 60_000);

  test('fails with a reason if they exceed the limit of the tenant', async () => {
    const viewer = student(newTenant(), 'amy');
    const imports = new PostgresImportStore(fixture.database, fixture.dirty, questionJudge, 1_000);
    const importer = new Importer({ ...parts, imports });
    await importer.start();
    expect(await finished(importer, viewer, [rowWith('too-large', png(2_000))])).toMatchObject({
      state: 'FAILED',
      problem: expect.stringContaining('exceeds the limit of all uploaded files'),
    });
    expect((await fixture.cards.byIds(viewer, ['too-large'])).size).toBe(0);
    await importer.close();
  }, 60_000);
});

test('the cards of a file are indexed after the changes that somebody waits for', async () => {
  const viewer = admin(newTenant());
  const importer = new Importer(parts);
  await importer.start();
  await importer.importFile(viewer, FILE, fileOf(3));
  await imported();
  await importer.close();
  const rows = await dirtyRows(fixture, viewer.tenantId);
  expect([...rows.values()].map(({ bulk }) => bulk)).toEqual([true, true, true]);
});

describe('a file that another gateway has resumed', () => {
  test('is left to that gateway, with its remaining rows', async () => {
    const viewer = admin(newTenant());
    let chunks = 0;
    // At its second chunk this gateway is late: the other one has just stored the same rows.
    const fold: ImporterParts['imports']['fold'] = async (...args) => {
      chunks += 1;
      if (chunks === 2) await parts.imports.fold(...args);
      return parts.imports.fold(...args);
    };
    const importer = new Importer({ ...parts, imports: { fold } });
    await importer.start();
    const { id } = await importer.importFile(viewer, FILE, fileOf(1_200));
    await imported();
    await importer.close();
    expect(await parts.jobs.job(viewer, id)).toMatchObject({ state: 'RUNNING', read: 1_000, total: 1_200 });
    expect(chunks).toBe(2);
  });
});

describe('a sixth file of one owner', () => {
  test('is refused before it is read, and accepted after one of the others has ended', async () => {
    const importer = new Importer(parts);
    await importer.start();
    const viewer = admin(newTenant());
    const [arrival, arrive] = gate();
    async function* slow(): AsyncGenerator<Buffer> {
      await arrival;
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
    arrive();
    await Promise.all(five);
    await imported();
    await importer.importFile(viewer, FILE, counted());
    expect(reads).toBe(1);
    await imported();
    await importer.close();
  });

  test('is refused while the others wait', async () => {
    const [turn, begin] = gate();
    const fold: ImporterParts['imports']['fold'] = async (...args) => {
      await turn;
      return parts.imports.fold(...args);
    };
    const importer = new Importer({ ...parts, imports: { fold } });
    await importer.start();
    const viewer = admin(newTenant());
    const five = [1, 2, 3, 4, 5].map((rows) => importer.importFile(viewer, FILE, fileOf(rows)));
    await until(async () => (await readdir(folder)).length === 5, { deadlineMs: 30_000, what: 'the files to come' });
    await expect(importer.importFile(viewer, FILE, fileOf(6))).rejects.toThrow(
      /already receiving 5 files of this owner/,
    );
    begin();
    await Promise.all(five);
    await imported();
    await importer.close();
  });
});

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
  const stuck = await mkdtemp(join(tmpdir(), 'errata-imports-'));
  const warned: string[] = [];
  const log = { ...parts.log, warn: (_fields: object, message: string) => warned.push(message) };
  try {
    // A folder is not removed as a file is.
    await mkdir(join(stuck, 'leftover'));
    const viewer = admin(newTenant());
    const attempts = async (...args: Parameters<ImporterParts['jobs']['attempt']>): Promise<number | null> => {
      const path = join(stuck, args[1]);
      await rm(path);
      await mkdir(path);
      throw new BadInputError('file', 'cannot be read');
    };
    const jobs = Object.create(parts.jobs, { attempt: { value: attempts } }) as ImporterParts['jobs'];
    const importer = new Importer({ ...parts, folder: stuck, log, jobs });
    await importer.start();
    const { id } = await importer.importFile(viewer, FILE, fileOf(1));
    await until(async () => warned.length === 2, { deadlineMs: 30_000, what: 'both files to be tried' });
    expect(await parts.jobs.job(viewer, id)).toMatchObject({ state: 'FAILED' });
    await importer.close();
    expect(warned).toEqual(Array(2).fill('the file of an import could not be removed'));
  } finally {
    await rm(stuck, { recursive: true });
  }
});

/** How many attempts a job has that did not end in order. */
async function attemptsAt(id: string): Promise<number | undefined> {
  const [job] = await fixture.database.query<{ attempts: number }>(
    Prisma.sql`SELECT attempts FROM import_job WHERE id = ${id}::uuid`,
  );
  return job?.attempts;
}

describe('a file that exceeds the limits of its reader', () => {
  const limits = { cpuMs: 1, memoryMb: 768 };

  test('has two attempts, also across a restart', async () => {
    const viewer = admin(newTenant());
    const [spent, tell] = gate();
    const stop = (): void => {
      void first.close();
      tell();
    };
    const first: Importer = new Importer({ ...parts, limits, log: { ...parts.log, warn: stop } });
    await first.start();
    const { id } = await first.importFile(viewer, FILE, fileOf(60_000));
    await spent;
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
      throw new WorkerSpentError(limits, 'as it was folded');
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

/** An importer that begins to fold a file and is closed; `attempted`: the attempts of the job meanwhile. */
async function closedWhileFolding(viewer: Viewer, rows: number): Promise<{ id: string; attempted?: number }> {
  const [begun, begin] = gate();
  const [closed, close] = gate();
  const fold: ImporterParts['imports']['fold'] = async (_viewer, _wanted, decide) => {
    begin();
    await closed;
    return decide({ cards: [], taken: new Set(), foreign: new Set(), labels: NO_NAMES, files: new Map() });
  };
  const importer = new Importer({ ...parts, imports: { fold } });
  await importer.start();
  const { id } = await importer.importFile(viewer, FILE, fileOf(rows));
  await begun;
  const attempted = await attemptsAt(id);
  const closing = importer.close();
  close();
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

describe('an import that is cancelled', () => {
  test('by its owner or an admin ends at once, keeps stored cards, and makes room for the next file', async () => {
    const tenant = newTenant();
    const viewer = student(tenant, 'li');
    for (const by of [viewer, admin(tenant)]) {
      const [cancelled, goOn] = gate();
      let chunks = 0;
      const fold: ImporterParts['imports']['fold'] = async (...args) => {
        chunks += 1;
        if (chunks === 2) await cancelled;
        return parts.imports.fold(...args);
      };
      const importer = new Importer({ ...parts, imports: { fold } });
      await importer.start();
      const { id } = await importer.importFile(viewer, FILE, fileOf(by === viewer ? 1_200 : 1_300));
      await until(() => chunks === 2, { deadlineMs: 30_000, what: 'the second chunk' });
      expect(await importer.cancel(by, id)).toMatchObject({ state: 'CANCELLED', read: 500 });
      goOn();
      await importer.importFile(viewer, FILE, fileOf(2));
      await imported();
      expect(await importer.cancel(by, id)).toMatchObject({
        state: 'CANCELLED',
        read: 500,
        finishedAt: expect.any(Date),
      });
      await importer.close();
    }
  });

  test('by other viewers continues, or is not found', async () => {
    const tenant = newTenant();
    const importer = new Importer(parts);
    const { options } = FILE;
    const id = randomUUID();
    await parts.jobs.begin(student(tenant, 'li'), {
      id,
      key: 'rows:k',
      body: null,
      name: 'rows',
      format: 'rows',
      options,
    });
    const teacher: Viewer = { tenantId: tenant, ownerId: 'wu', role: 'teacher' };
    await expect(importer.cancel(teacher, id)).rejects.toThrow(ForbiddenError);
    for (const other of [student(tenant, 'wang'), admin(newTenant())])
      await expect(importer.cancel(other, id)).rejects.toThrow(NotFoundError);
    expect(await parts.jobs.job(admin(tenant), id)).toMatchObject({ state: 'CHECKING' });
  });
});

test('files of several owners take turns', async () => {
  const tenant = newTenant();
  const [turn, begin] = gate();
  const order: string[] = [];
  const fold: ImporterParts['imports']['fold'] = async (viewer, ...rest) => {
    await turn;
    order.push(viewer.ownerId);
    return parts.imports.fold(viewer, ...rest);
  };
  const importer = new Importer({ ...parts, imports: { fold } });
  await importer.start();
  const sent = ['li', 'li', 'li', 'wang'].map((name, at) =>
    importer.importFile(student(tenant, name), FILE, fileOf(at + 1)),
  );
  await until(async () => (await readdir(folder)).length === 4, { deadlineMs: 30_000, what: 'the files to come' });
  begin();
  await Promise.all(sent);
  await imported();
  await importer.close();
  expect(order.indexOf('wang')).toBeLessThan(2);
});
