import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { PostgresImportJobStore } from '../../../prisma/import/import-jobs.js';
import { NotFoundError } from '../../../src/domain/errors.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { admin, newTenant, student } from './fixture.js';
import { importStoreWorld, OPTIONS, teacher } from './import-store-world.js';

const { jobs, store } = await importStoreWorld();

describe('a job', () => {
  const absent = (thrown: unknown): false => {
    if (thrown instanceof NotFoundError) return false;
    throw thrown;
  };
  const newJob = (key: string): Parameters<PostgresImportJobStore['begin']>[1] => ({
    id: randomUUID(),
    key,
    body: null,
    name: 'a.jsonl',
    format: 'jsonl',
    options: OPTIONS,
  });

  test('is created once, however many requests for the same import come at once', async () => {
    const viewer = student(newTenant(), 'li');
    const begun = await Promise.all(Array.from({ length: 5 }, () => jobs.begin(viewer, newJob('same'))));
    expect(new Set(begun.map(({ job }) => job.id)).size).toBe(1);
    expect(begun.filter(({ joined }) => !joined)).toHaveLength(1);
  });

  test('stores a step once: a second run at the same row stores nothing', async () => {
    const viewer = student(newTenant(), 'li');
    const { job } = await jobs.begin(viewer, newJob('steps'));
    await jobs.checked(viewer, job.id, 2, []);
    const step = { jobId: job.id, read: 0 };
    const rows = [{ questionText: '1+1=?' }, { questionText: '' }];
    const [first, second] = await Promise.all([store(viewer, rows, step), store(viewer, rows, step)]);
    expect([first, second].filter((folded) => folded === null)).toHaveLength(1);
    expect(await jobs.job(viewer, job.id)).toMatchObject({ state: 'RUNNING', read: 2, created: 1, failed: 1 });
    expect(await jobs.problems(viewer, job.id, 10, 0)).toMatchObject([
      { row: 2, column: 'questionText', failed: true },
    ]);
  });

  test('is visible to its owner and to viewers of the whole tenant, and to no others', async () => {
    const tenant = newTenant();
    const { job } = await jobs.begin(student(tenant, 'li'), newJob('seen'));
    const finds = (viewer: Viewer): Promise<boolean> => jobs.job(viewer, job.id).then(() => true, absent);
    const viewers = [student(tenant, 'li'), teacher(tenant), student(tenant, 'wang'), admin(newTenant())];
    expect(await Promise.all(viewers.map(finds))).toEqual([true, true, false, false]);
    await expect(jobs.job(admin(tenant), 'no-uuid')).rejects.toThrow(NotFoundError);
  });
});
