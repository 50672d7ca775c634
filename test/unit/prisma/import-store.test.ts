import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresImportJobStore } from '../../../prisma/import/import-jobs.js';
import { PostgresImportStore } from '../../../prisma/import/import-store.js';
import { PostgresAttemptStore } from '../../../prisma/practice/attempts.js';
import { ConflictError, ForbiddenError, NotFoundError } from '../../../src/domain/errors.js';
import { NO_MAPPING } from '../../../src/domain/parse/import.js';
import type { Folded, JobStep } from '../../../src/domain/ports/imports.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { questionJudge } from '../../../src/exchange/duplicates/judge.js';
import { cardRow } from '../../../src/exchange/formats/rows.js';
import { mergeDrafts } from '../../../src/exchange/import/merge.js';
import { withoutMerged } from '../../../src/exchange/import/unmerge.js';
import { replay } from '../../../src/practice/schedule.js';
import { FILE_LIMITS } from '../../support/files.js';
import { RowStorer } from '../../support/row-storer.js';
import { admin, dirtyRows, type Fixture, newTenant, openFixture, student } from './fixture.js';

let fixture: Fixture;
let imports: PostgresImportStore;
let jobs: PostgresImportJobStore;
beforeAll(async () => {
  fixture = await openFixture();
  imports = new PostgresImportStore(fixture.database, fixture.dirty, questionJudge, 2 ** 30);
  jobs = new PostgresImportJobStore(fixture.database);
});
afterAll(() => fixture.close());

const OPTIONS = { onDuplicate: 'MERGE', dryRun: false, mapping: NO_MAPPING } as const;

/** Stores rows as an import does. */
function store(viewer: Viewer, rows: readonly object[], step: JobStep | null = null): Promise<Folded | null> {
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
}

function teacher(tenantId: string): Viewer {
  return { tenantId, ownerId: 'teacher', role: 'teacher' };
}

describe('imported rows', () => {
  test('of two imports at once make one card of one question, with an occurrence of each', async () => {
    const viewer = student(newTenant(), 'li');
    const runs = Array.from({ length: 6 }, (_, at) =>
      store(viewer, [{ questionText: '求 $\\frac{1}{2}$ 的倒数', studentSolutionText: `${at}` }]),
    );
    await Promise.all(runs);
    const cards = await imports.cardsAfter(viewer, {}, null, 10);
    expect(cards.map(({ occurrences }) => occurrences)).toEqual([6]);
  });

  test('become a card of their owner: the same question of another student stays a separate card', async () => {
    const tenant = newTenant();
    for (const name of ['li', 'wang']) await store(student(tenant, name), [{ questionText: '1+1=?' }]);
    expect(await imports.cardsAfter(admin(tenant), {}, null, 10)).toHaveLength(2);
  });

  test('never change a card of another owner: a row with its id fails if the viewer may see it, and is a new card if not', async () => {
    const tenant = newTenant();
    await store(student(tenant, 'li'), [{ id: 'own', questionText: '1+1=?' }]);
    const row = { id: 'own', questionText: '1+1=?', notes: 'changed' };
    expect(await store(teacher(tenant), [row])).toMatchObject({
      counts: { failed: 1 },
      problems: [{ failed: true, column: 'id', reason: expect.stringContaining('belongs to another owner') }],
    });
    expect(await store(student(tenant, 'wang'), [row])).toMatchObject({
      counts: { created: 1 },
      problems: [{ failed: false, column: 'id' }],
    });
    const [card] = await imports.cardsAfter(student(tenant, 'li'), {}, null, 10);
    expect(card).toMatchObject({ id: 'own', notes: null, revision: 1 });
  });

  test('mark every changed card dirty in the outbox', async () => {
    const viewer = student(newTenant(), 'li');
    await store(viewer, [
      { id: 'a', questionText: '1+1=?' },
      { id: 'b', questionText: '2+2=?' },
    ]);
    const claimed = await fixture.outbox.claim(100, 1_000);
    expect(claimed.map(({ cardId }) => cardId)).toEqual(expect.arrayContaining(['a', 'b']));
  });
});

const ATTEMPT = {
  correct: true,
  hints: 0,
  durationMs: null,
  changedAnswer: false,
  answer: null,
  ownerId: null,
  isDated: true,
  recordOccurrence: false,
};
const RULES = { decide: mergeDrafts, replay };

test('changes that somebody waits for are indexed before bulk work, cards that it has marked among them', async () => {
  const viewer = student(newTenant(), 'li');
  const bulk = async () =>
    [...(await dirtyRows(fixture, viewer.tenantId)).entries()].map(([id, row]) => [id, row.bulk]);
  const asBulk = () => fixture.database.execute(Prisma.sql`UPDATE index_dirty SET bulk = true`);
  await store(viewer, [
    { id: 'a', questionText: '1+1=?' },
    { id: 'b', questionText: '2+2=?' },
  ]);
  expect(Object.fromEntries(await bulk())).toEqual({ a: false, b: false });
  await asBulk();
  await store(viewer, [{ id: 'a', questionText: '1+1=?', notes: 'n' }]);
  expect(Object.fromEntries(await bulk())).toEqual({ a: false, b: true });
  await asBulk();
  await imports.merge(viewer, { into: 'a', from: 'b' }, RULES);
  expect(Object.fromEntries(await bulk())).toEqual({ a: false, b: false });
  await asBulk();
  await imports.unmerge(viewer, { id: 'b', expectedRevision: null }, { without: withoutMerged, replay });
  expect(Object.fromEntries(await bulk())).toEqual({ a: false, b: false });
});

describe('merging two cards', () => {
  const both = [
    {
      id: 'a',
      questionText: '甲乙两人相向而行',
      occurredAt: '2026-01-01',
      topicTags: ['行程'],
      errorTypes: ['x'],
      metadata: [{ key: 'unit', value: '1' }],
    },
    {
      id: 'b',
      questionText: '另一道题目',
      occurredAt: '2026-01-02',
      notes: 'n',
      studentSolutionText: 's',
      errorTypes: ['y'],
      metadata: [
        { key: 'class', value: '7b' },
        { key: 'unit', value: '2' },
      ],
    },
  ];

  test('keeps every occurrence, label and field, deletes the second and gives the first a new revision', async () => {
    const viewer = student(newTenant(), 'li');
    await store(viewer, both);
    await imports.merge(viewer, { into: 'a', from: 'b' }, RULES);
    const [card, ...others] = await imports.cardsAfter(viewer, {}, null, 10);
    expect(others).toEqual([]);
    expect(card).toMatchObject({
      id: 'a',
      revision: 2,
      occurrences: 2,
      notes: 'n',
      topicTags: ['行程'],
      errorTypes: ['x', 'y'],
    });
    const times = (await imports.occurrences(viewer, ['a'])).get('a') ?? [];
    expect(
      times.map(({ number, wrongSolution, errorTypes, mergedId }) => [number, wrongSolution, errorTypes, mergedId]),
    ).toEqual([
      [1, null, ['x'], null],
      [2, 's', ['y'], 'b'],
    ]);
    expect(card?.metadata).toEqual([
      { key: 'class', value: '7b' },
      { key: 'unit', value: '1' },
    ]);
    expect(times[1]?.merged).toEqual({ questionText: '另一道题目', metadata: both[1]?.metadata });
    const found = await fixture.cards.mergedInto(viewer, ['a', 'b', 'c']);
    expect([...found].map(([id, { id: survivor }]) => [id, survivor])).toEqual([['b', 'a']]);
    // The origin of the deleted card's row is kept: imported again it changes nothing.
    expect(await store(viewer, both)).toMatchObject({ counts: { created: 0, merged: 0 } });
    expect(await imports.cardsAfter(viewer, {}, null, 10)).toHaveLength(1);
  });

  test('is refused for another revision than the expected one, of either card, and then changes nothing', async () => {
    const viewer = student(newTenant(), 'li');
    await store(viewer, both);
    const merge = (over: object) => imports.merge(viewer, { into: 'a', from: 'b', ...over }, RULES);
    for (const expected of [{ intoRevision: 2 }, { fromRevision: 2 }, { intoRevision: 1, fromRevision: 7 }]) {
      await expect(merge(expected)).rejects.toThrow(ConflictError);
    }
    expect(await imports.cardsAfter(viewer, {}, null, 10)).toHaveLength(2);
    await merge({ intoRevision: 1, fromRevision: 1 });
    expect(await imports.cardsAfter(viewer, {}, null, 10)).toMatchObject([{ id: 'a', revision: 2 }]);
  });

  test('into a card that is merged itself is found by both ids, by those who see the card', async () => {
    const viewer = student(newTenant(), 'li');
    await store(viewer, [...both, { id: 'c', questionText: '3+3=?' }]);
    await imports.merge(viewer, { into: 'b', from: 'a' }, RULES);
    await imports.merge(viewer, { into: 'c', from: 'b' }, RULES);
    const found = await fixture.cards.mergedInto(viewer, ['a', 'b']);
    expect([...found.values()].map(({ id }) => id)).toEqual(['c', 'c']);
    expect((await fixture.cards.mergedInto(student(viewer.tenantId, 'wang'), ['a', 'b'])).size).toBe(0);
  });

  test.each([
    ['a student', (tenant: string) => student(tenant, 'li')],
    ['a teacher', teacher],
  ])(
    'of %s makes the attempts at both attempts at one, and derives the reviews of their students',
    async (_who, of) => {
      const tenant = newTenant();
      const owner = of(tenant);
      const attempts = new PostgresAttemptStore(fixture.database, fixture.dirty);
      await store(owner, [...both, { id: 'c', questionText: '3+3=?' }]);
      const attempt = (key: string, cardId: string, day: number, reviewOf: string | null = null) => ({
        ...ATTEMPT,
        key,
        cardId,
        reviewOf,
        at: new Date(Date.UTC(2026, 2, day)),
      });
      const students = owner.role === 'student' ? [owner] : [owner, student(tenant, 'wang')];
      for (const { ownerId } of students) {
        const made = [attempt('1', 'a', 1), attempt('2', 'b', 2), attempt('3', 'c', 3, 'b')];
        const recorder = ownerId === owner.ownerId ? owner : admin(tenant);
        await attempts.record(recorder, ownerId, made, replay);
      }
      await imports.merge(owner, { into: 'a', from: 'b' }, RULES);
      for (const { ownerId } of students) {
        const range = { after: null, before: null, limit: 10 };
        const log = await attempts.log(owner, ownerId, range);
        expect(log.map(({ key, cardId, reviewOf }) => [key, cardId, reviewOf])).toEqual([
          ['1', 'a', null],
          ['2', 'a', null],
          ['3', 'c', 'a'],
        ]);
        const reviews = await attempts.reviews(owner, ownerId, ['a', 'b', 'c']);
        expect([...reviews].map(([id, { reps }]) => [id, reps]).sort()).toEqual([
          ['a', 3],
          ['c', 1],
        ]);
      }
    },
  );

  test('needs a viewer who may change both, and one owner', async () => {
    const tenant = newTenant();
    await store(student(tenant, 'li'), both);
    await store(student(tenant, 'wang'), [{ id: 'c', questionText: '3+3=?' }]);
    await expect(imports.merge(student(tenant, 'wang'), { into: 'c', from: 'a' }, RULES)).rejects.toThrow(
      NotFoundError,
    );
    await expect(imports.merge(teacher(tenant), { into: 'a', from: 'b' }, RULES)).rejects.toThrow(ForbiddenError);
    await expect(imports.merge(admin(tenant), { into: 'a', from: 'c' }, RULES)).rejects.toThrow(ConflictError);
    expect(await imports.cardsAfter(admin(tenant), {}, null, 10)).toHaveLength(3);
  });
});

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
