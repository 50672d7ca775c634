import fc from 'fast-check';
import { FSRS } from 'ts-fsrs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresImportStore } from '../../../prisma/import/import-store.js';
import { PostgresAttemptStore } from '../../../prisma/practice/attempts.js';
import { PostgresFittedSchedules } from '../../../prisma/practice/fitted-schedules.js';
import { PostgresPracticeSettings } from '../../../prisma/practice/practice-settings.js';
import { PostgresReviewStore } from '../../../prisma/practice/reviews.js';
import { groupedBy } from '../../../src/domain/grouped.js';
import { type AttemptToRecord, DEFAULT_PRACTICE_SETTINGS as DEFAULTS } from '../../../src/domain/practice.js';
import { mergeDrafts } from '../../../src/exchange/import/merge.js';
import { replay } from '../../../src/fsrs/schedule.js';
import { PracticeService } from '../../../src/practice/practice-service.js';
import { admin, type Fixture, newCard, newTenant, openFixture, student } from './fixture.js';
import { attempt, reviewsOf, START } from './practice-world.js';

const FITTED: readonly number[] = Array(21).fill(1);
/** The students, with their retention and FSRS parameters. */
const STUDENTS = [
  ['amy', 0.9, null],
  ['ben', 0.8, null],
  ['cay', 0.9, FITTED],
] as const;
const OWNERS: readonly string[] = STUDENTS.map(([ownerId]) => ownerId);
const CARDS = ['amys', 'bens', 'admins'];

let fixture: Fixture;
let store: PostgresAttemptStore;
let settings: PostgresPracticeSettings;
let fits: PostgresFittedSchedules;
const statements: string[] = [];
beforeAll(async () => {
  fixture = await openFixture({ onQuery: (sql) => statements.push(sql) });
  store = new PostgresAttemptStore(fixture.database, fixture.dirty);
  settings = new PostgresPracticeSettings(fixture.database);
  fits = new PostgresFittedSchedules(fixture.database);
});
afterAll(() => fixture.close());

/** A school with a card of each of two students and of the admin; its students are scheduled in different ways. */
async function newSchool(): Promise<string> {
  const tenantId = newTenant();
  for (const id of CARDS) await fixture.cards.create(student(tenantId, id.slice(0, -1)), newCard({ id }));
  await settings.save(student(tenantId, 'ben'), { desiredRetention: 0.8 });
  const figures = { reviews: 400, heldOutReviews: 100, defaultLogLoss: 0.4, logLoss: 0.3 };
  // As of attempts that are gone: a fit is stored for a student with attempts alone.
  const data = { tenantId, ownerId: 'cay', weights: [...FITTED], isUsed: true, ...figures };
  await fixture.database.run(({ fittedSchedule }) => fittedSchedule.create({ data }));
  return tenantId;
}

const recordAll = (tenantId: string, attempts: readonly AttemptToRecord[]) =>
  store.record(
    admin(tenantId),
    groupedBy(attempts, ({ ownerId }) => String(ownerId)),
  );

/** What there is of attempts, reviews, occurrences and cards. */
async function practised(tenantId: string) {
  const logs = await Promise.all(
    OWNERS.map((owner) => store.log(admin(tenantId), { ownerIds: [owner] }, { limit: 100 })),
  );
  const occurrences = await fixture.database.query(Prisma.sql`
    SELECT card_id, number, occurred_at, wrong_solution, error_types, origin FROM card_occurrence
    WHERE tenant_id = ${tenantId} ORDER BY 1, 2`);
  const cards = await fixture.database.query(Prisma.sql`
    SELECT id, attempted_by_owner, occurred_at, revision > 1 AS changed FROM card WHERE tenant_id = ${tenantId} ORDER BY 1`);
  return { logs, reviews: await reviews(tenantId), occurrences, cards };
}

const reviews = (tenantId: string) =>
  Promise.all(OWNERS.map((owner) => reviewsOf(fixture.database, admin(tenantId), owner, CARDS)));

describe('attempts of many students', () => {
  test('have the same effect and outcomes in one request as each in a request of its own', async () => {
    const one = fc.record({
      ownerId: fc.constantFrom(...OWNERS),
      key: fc.integer({ min: 0, max: 6 }).map((number) => `k${number}`),
      cardId: fc.constantFrom(...CARDS, 'nobodys'),
      reviewOf: fc.constantFrom(null, null, ...CARDS),
      at: fc.integer({ min: 0, max: 2_000 }).map((hours) => new Date(START + hours * 3_600_000)),
      correct: fc.boolean(),
      answer: fc.constantFrom(null, '24'),
      recordOccurrence: fc.boolean(),
    });
    const requests = fc.array(fc.array(one, { minLength: 1, maxLength: 10 }), { minLength: 1, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(requests, async (given) => {
        const [together, apart] = [await newSchool(), await newSchool()];
        for (const request of given) {
          const attempts = request.map(({ key, ...over }) => attempt(key, over));
          const results = await recordAll(together, attempts);
          for (const [ownerId, own] of groupedBy(attempts, (one) => String(one.ownerId))) {
            for (const [place, single] of own.entries()) {
              const [expected] = (await recordAll(apart, [single])).get(ownerId) ?? [];
              expect(results.get(ownerId)?.[place]).toMatchObject({
                key: single.key,
                cardId: single.cardId,
                outcome: expected?.outcome,
              });
            }
          }
          const derived = await reviews(together);
          for (const { ownerId, cardId, review } of [...results].flatMap(([ownerId, own]) =>
            own.map((result) => ({ ownerId, ...result })),
          )) {
            expect(review).toStrictEqual(derived[OWNERS.indexOf(ownerId)]?.get(cardId) ?? null);
          }
        }
        const all = await practised(together);
        expect(all).toStrictEqual(await practised(apart));
        for (const [place, [, desiredRetention, weights]] of STUDENTS.entries()) {
          for (const cardId of CARDS) {
            const own = all.logs[place]?.filter((one) => [one.cardId, one.reviewOf].includes(cardId)) ?? [];
            const expected = own.length === 0 ? undefined : replay(own, { ...DEFAULTS, desiredRetention }, weights);
            expect(all.reviews[place]?.get(cardId)).toStrictEqual(expected);
          }
        }
      }),
      { numRuns: 8 },
    );
  });

  test('take as many statements as those of one student', async () => {
    const practice = new PracticeService({
      attempts: store,
      reviews: new PostgresReviewStore(fixture.database),
      settings,
      fits,
      onPractised: () => undefined,
      cards: fixture.cards,
    });
    const tenantId = await newSchool();
    const sentFor = async (students: number): Promise<readonly string[]> => {
      const attempts = Array.from({ length: students }, (_, place) => {
        const over = { correct: false, recordOccurrence: true, cardId: 'admins' };
        return attempt(`${students}`, { ...over, ownerId: place === 0 ? 'admin' : `student-${place}` });
      });
      statements.length = 0;
      const results = await practice.record(admin(tenantId), attempts, new Date(START));
      expect(results.filter(({ outcome }) => outcome === 'RECORDED')).toHaveLength(students);
      return [...statements];
    };
    const ofOne = await sentFor(1);
    expect(await sentFor(40)).toHaveLength(ofOne.length);
  });

  test('are read in pages, and right answers counted student by student, so that the event loop goes on', async () => {
    const { database } = fixture;
    const viewer = admin(newTenant());
    const { tenantId } = viewer;
    await fixture.cards.create(viewer, newCard({ id: 'c1' }));
    // Three keys at each time, the same ones for both students, and one more, so that a page ends between two.
    await database.execute(Prisma.sql`
      INSERT INTO attempt (tenant_id, owner_id, key, card_id, at, correct)
      SELECT ${tenantId}, owner, 'k' || lpad(g::text, 4, '0'), 'c1', ${new Date(START)}::timestamptz + g / 3 * interval '1 minute', true
      FROM generate_series(1, 2600) g, unnest(ARRAY['amy', 'ben']) owner
      UNION ALL SELECT ${tenantId}, 'amy', 'z', 'c1', ${new Date(START)}::timestamptz + interval '1 day', true`);
    statements.length = 0;
    const log = await store.log(viewer, { ownerIds: ['amy', 'ben'] }, { limit: 5_100 });
    expect(statements.filter((sql) => sql.includes('"attempt"'))).toHaveLength(3);
    const keysOf = (number: number) => [`k${String(number).padStart(4, '0')}`, 'amy', 'ben'] as const;
    const expected = Array.from({ length: 2_600 }, (_, place) => keysOf(place + 1))
      .flatMap(([key, ...owners]) => owners.map((owner) => `${key} ${owner}`))
      .concat('z amy');
    expect(log.map(({ key, ownerId }) => `${key} ${ownerId}`)).toEqual(expected.slice(-5_100));
    const students = Array.from({ length: 21 }, (_, place) => `student-${place}`);
    statements.length = 0;
    const right = await store.rightAnswers(viewer, ['amy', ...students, 'ben'], { before: new Date(START + 60_000) });
    expect(statements.filter((sql) => sql.includes('"attempt"'))).toHaveLength(3);
    expect(right).toEqual(['amy', 'ben'].map((ownerId) => ({ ownerId, cardId: 'c1', count: 2 })));
  });

  test('at thousands of cards are read in pages when a student is scheduled anew', async () => {
    const { database } = fixture;
    const viewer = student(newTenant(), 'amy');
    for (const id of ['a', 'z']) await fixture.cards.create(viewer, newCard({ id }));
    const own = ['a', 'z'].map((cardId) => attempt(cardId, { cardId, ownerId: 'amy' }));
    await recordAll(viewer.tenantId, own);
    // As siblings of 2,600 cards that were deleted.
    await database.execute(Prisma.sql`
      INSERT INTO attempt (tenant_id, owner_id, key, card_id, review_of, at, correct)
      SELECT ${viewer.tenantId}, 'amy', 'a' || g, 'a', 'gone' || g, ${new Date(START)}::timestamptz + g * interval '1 day', true
      FROM generate_series(1, 2600) g`);
    statements.length = 0;
    await settings.save(viewer, { timeZone: 'Asia/Shanghai' });
    expect(statements.filter((sql) => /"attempt".*GROUP BY/.test(sql))).toHaveLength(2);
    const derived = await reviewsOf(database, viewer, 'amy', ['a', 'z']);
    expect([...derived.values()].map(({ reps }) => reps).toSorted((a, b) => a - b)).toEqual([1, 500]);
  });

  test('become occurrences by one statement, however many there are', async () => {
    const tenantId = newTenant();
    const sentFor = async (students: number): Promise<readonly string[]> => {
      const owners = Array.from({ length: students }, (_, place) => `student-${students}-${place}`);
      const id = (ownerId: string): string => `card-of-${ownerId}`;
      for (const owner of owners) await fixture.cards.create(student(tenantId, owner), newCard({ id: id(owner) }));
      const over = { correct: false, recordOccurrence: true };
      const attempts = owners.map((ownerId) => attempt('k', { ...over, ownerId, cardId: id(ownerId) }));
      statements.length = 0;
      await recordAll(tenantId, attempts);
      const sent = statements.filter((sql) => /^\s*INSERT INTO\W.*card_occurrence/.test(sql));
      const cards = await fixture.cards.byIds(admin(tenantId), owners.map(id));
      expect([...cards.values()].map(({ occurrences }) => occurrences)).toEqual(owners.map(() => 2));
      return sent;
    };
    const ofOne = await sentFor(1);
    expect(ofOne).toHaveLength(1);
    expect(await sentFor(20)).toEqual(ofOne);
  });

  test('are replayed in several turns of the event loop', async () => {
    const turns = new Set<number>();
    let turn = 0;
    const next = (): void => {
      turn += 1;
      running = setImmediate(next);
    };
    let running = setImmediate(next);
    // As slow as hundreds of attempts at a card.
    const { next: replayOne } = FSRS.prototype;
    const slow = vi.spyOn(FSRS.prototype, 'next').mockImplementation(function (this: FSRS, ...given) {
      turns.add(turn);
      const began = performance.now();
      while (performance.now() - began < 6);
      return replayOne.apply(this, given);
    });
    const own = OWNERS.map((ownerId) => [ownerId, CARDS.map((cardId) => attempt(cardId, { cardId }))] as const);
    await store.record(admin(await newSchool()), new Map(own));
    clearImmediate(running);
    slow.mockRestore();
    expect(turns.size).toBe(OWNERS.length * CARDS.length);
  });

  test('move with their card by as many statements as those of one student', async () => {
    const imports = new PostgresImportStore(fixture.database, fixture.dirty, 2 ** 30);
    const sentFor = async (students: number): Promise<readonly string[]> => {
      const viewer = admin(newTenant());
      for (const id of ['kept', 'gone']) await fixture.cards.create(viewer, newCard({ id }));
      const owners = Array.from({ length: students }, (_, place) => `student-${place}`);
      await recordAll(
        viewer.tenantId,
        owners.map((ownerId) => attempt('k', { ownerId, cardId: 'gone' })),
      );
      statements.length = 0;
      await imports.merge(viewer, { into: 'kept', from: 'gone' }, mergeDrafts);
      const sent = statements.filter((sql) => !sql.startsWith('SELECT'));
      const moved = await Promise.all(owners.map((ownerId) => reviewsOf(fixture.database, viewer, ownerId, ['kept'])));
      expect(moved.filter((states) => states.has('kept'))).toHaveLength(students);
      return sent;
    };
    expect(await sentFor(40)).toEqual(await sentFor(1));
  });
});

test('attempts at more than 40 cards of one request are read by several statements, and each is replayed', async () => {
  const amy = student(newTenant(), 'amy');
  const ids = Array.from({ length: 41 }, (_, place) => `c${place}`);
  for (const id of ids) await fixture.cards.create(amy, newCard({ id }));
  const made = (cardId: string, day: number): AttemptToRecord =>
    attempt(`${cardId} ${day}`, { cardId, correct: day % 5 > 0, at: new Date(START + day * 86_400_000) });
  const days = [0, 1, 2, 3, 4, 5];
  await store.record(amy, new Map([['amy', ids.flatMap((id) => days.map((day) => made(id, day)))]]));
  statements.length = 0;
  await store.record(amy, new Map([['amy', ids.map((id) => made(id, 6))]]));
  expect(statements.filter((sql) => sql.includes('given.place::int AS place'))).toHaveLength(2);
  const states = await reviewsOf(fixture.database, amy, 'amy', ids);
  const expected = replay(
    [...days, 6].map((day) => made('c0', day)),
    DEFAULTS,
  );
  expect(ids.map((id) => states.get(id))).toStrictEqual(ids.map(() => expected));
});
