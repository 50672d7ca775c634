import fc from 'fast-check';
import { default_w } from 'ts-fsrs';
import { describe, expect, test } from 'vitest';
import type { Card } from '../../../src/domain/card.js';
import type { Owner } from '../../../src/domain/duplicates.js';
import type { DueEntry, DueRequest } from '../../../src/domain/ports/practice.js';
import {
  type Attempt,
  DEFAULT_PRACTICE_SETTINGS,
  type FittedSchedule,
  type PracticeSettings,
} from '../../../src/domain/practice.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { replay } from '../../../src/fsrs/schedule.js';
import { PracticeService } from '../../../src/practice/practice-service.js';
import { retentionOf } from '../../../src/practice/retention.js';
import { runs } from '../../support/runs.js';

const AMY: Viewer = { tenantId: 'north', ownerId: 'amy', role: 'student' };
const AT = new Date('2026-03-01T20:00:00Z');

const entry = (cardId: string, day: number): DueEntry => {
  const at = new Date(Date.UTC(2026, 1, day));
  const attempt = {
    key: cardId,
    cardId,
    reviewOf: null,
    at,
    correct: false,
    hints: 0,
    durationMs: null,
    changedAnswer: false,
  };
  return { cardId, review: replay([attempt], DEFAULT_PRACTICE_SETTINGS) };
};
const fresh = (cardId: string, day = 1): DueEntry => ({
  cardId,
  review: null,
  createdAt: new Date(Date.UTC(2026, 1, day)),
});

interface World {
  readonly settings?: Partial<PracticeSettings>;
  entries?: readonly DueEntry[];
  readonly done?: readonly string[];
  readonly served?: number;
  readonly firstTime?: number;
  readonly fit?: FittedSchedule;
}

const unexpected = () => Promise.reject(new Error('unexpected call'));

/** A service over these entries, and what it asked the store for. */
function serviceOf(world: World) {
  const asked: DueRequest[] = [];
  const bounds: Date[] = [];
  const service = new PracticeService({
    attempts: { record: unexpected, log: unexpected },
    reviews: {
      due: async (_viewer, request) => {
        asked.push(request);
        return { entries: world.entries ?? [], dueReviews: 3 };
      },
      done: async (_viewer, from, to) => {
        bounds.push(from, to);
        const { done = [], firstTime = 0 } = world;
        return { cardIds: done, served: world.served ?? done.length, firstTime };
      },
      forecast: async (_viewer, ends) => ends.map((_, day) => day),
      states: unexpected,
    },
    settings: {
      settings: async () => new Map([[AMY.ownerId, { ...DEFAULT_PRACTICE_SETTINGS, ...world.settings }]]),
      save: unexpected,
    },
    fits: {
      find: async () => world.fit ?? null,
      weights: async () => new Map(world.fit?.isUsed ? [[AMY.ownerId, world.fit.weights]] : []),
    },
    onPractised: () => undefined,
    cards: { byIds: async (_viewer, ids) => new Map(ids.map((id) => [id, { id } as Card])) },
  });
  return { service, asked, bounds };
}

const due = (service: PracticeService, first = 10, after: string | null = null) =>
  service.due(AMY, { at: AT, filter: {}, first, after });

describe('what is due today', () => {
  test("ends with the day of the student's time zone", async () => {
    const { service, asked, bounds } = serviceOf({ settings: { timeZone: 'Asia/Shanghai' } });
    await due(service);
    const [start, end] = ['2026-03-01T16:00:00.000Z', '2026-03-02T16:00:00.000Z'];
    expect(bounds.map((bound) => bound.toISOString())).toEqual([start, end]);
    expect(asked[0]?.dueBefore.toISOString()).toBe(end);
  });

  test.each([
    [{ done: [], firstTime: 0 }, ['a', 'b', 'c', 'n1', 'n2']],
    [{ done: ['x', 'y'], firstTime: 1 }, ['a', 'b', 'c']],
    [{ done: ['x'], firstTime: 1 }, ['a', 'b', 'c', 'n1']],
    [{ done: ['x'], firstTime: 2 }, ['a', 'b', 'c']],
    [{ done: ['x', 'y', 'z'], served: 1, firstTime: 1 }, ['a', 'b', 'c', 'n1']],
    [{ done: ['u', 'v', 'w', 'x', 'y', 'z'], firstTime: 0 }, []],
  ])('after %j is limited by the daily limits', async (done, ids) => {
    const entries = [entry('a', 1), entry('b', 2), entry('c', 3), fresh('n1'), fresh('n2')];
    const { service, asked } = serviceOf({ settings: { dailyLimit: 5, newPerDay: 2 }, entries, ...done });
    const page = await due(service);
    expect(asked[0]).toMatchObject({ maxCards: 5, maxNew: 2 });
    expect(page.edges.map(({ node: { card } }) => card.id)).toEqual(ids);
    expect(page).toMatchObject({ totalCount: ids.length, doneToday: done.done.length, hasNextPage: false });
  });

  test('has all cards again that were practised today, and as many others as the daily limits leave', async () => {
    const cards = fc.array(fc.constantFrom('review', 'again', 'new'), { maxLength: 12 });
    const limits = fc.record({ dailyLimit: fc.integer({ min: 1, max: 8 }), newPerDay: fc.integer({ min: 0, max: 8 }) });
    const gone = fc.integer({ min: 0, max: 4 });
    await fc.assert(
      fc.asyncProperty(cards, limits, gone, async (kinds, settings, others) => {
        const ids = kinds.map((kind, place) => `${kind}${place}`);
        const again = ids.filter((id) => id.startsWith('again'));
        const reviews = ids
          .filter((id) => !id.startsWith('new'))
          .map((id) => entry(id, id.startsWith('again') ? 29 : 1));
        const news = ids.filter((id) => id.startsWith('new')).map((id) => fresh(id));
        const done = [...again, ...Array.from({ length: others }, (_, place) => `done${place}`)];
        const { service } = serviceOf({ settings, entries: [...reviews, ...news], done, firstTime: others });
        const nodes = (await due(service, 100)).edges.map(({ node }) => node);
        const listed = nodes.map(({ card }) => card.id);
        expect(nodes.filter(({ practisedToday }) => practisedToday).map(({ card }) => card.id)).toEqual(again);
        let [left, leftNew] = [settings.dailyLimit - done.length, settings.newPerDay - others];
        const expected = [...reviews, ...news].filter(({ cardId, review }) => {
          if (cardId.startsWith('again')) return true;
          if (left <= 0 || (review === null && leftNew <= 0)) return false;
          left -= 1;
          if (review === null) leftNew -= 1;
          return true;
        });
        expect(listed).toEqual(expected.map(({ cardId }) => cardId));
      }),
      { numRuns: runs(100) },
    );
  });

  test('is paged with each card once, even while cards are practised', async () => {
    const entries = [entry('a', 1), entry('b', 2), entry('c', 3), fresh('e'), fresh('d')];
    const world: World = { entries };
    const { service } = serviceOf(world);
    const first = await due(service, 2);
    const cursor = first.edges.at(-1)?.cursor ?? '';
    expect(first.hasNextPage).toBe(true);
    expect((await due(service, 2, cursor)).edges.map(({ node: { card } }) => card.id)).toEqual(['c', 'e']);
    world.entries = entries.slice(2);
    expect((await due(service, 2, cursor)).edges.map(({ node: { card } }) => card.id)).toEqual(['c', 'e']);
    const old = Buffer.from(JSON.stringify([null, 'd'])).toString('base64url');
    for (const other of ['nonsense', old]) {
      await expect(due(service, 2, other)).rejects.toThrow('after: is not a cursor of this list');
    }
  });

  test('is paged with each card once, whichever cards of a page are practised before the next one', async () => {
    const days = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 6 });
    const practised = fc.infiniteStream(fc.boolean());
    await fc.assert(
      fc.asyncProperty(days, days, fc.integer({ min: 1, max: 4 }), practised, async (reviews, news, first, isDone) => {
        const entries = [
          ...reviews.sort((a, b) => a - b).map((day, place) => entry(`r${10 + place}`, day)),
          ...news.sort((a, b) => b - a).map((day, place) => fresh(`n${50 - place}`, day)),
        ];
        const world: World = { entries, settings: { dailyLimit: 500, newPerDay: 500 } };
        const { service } = serviceOf(world);
        const seen: string[] = [];
        for (let after: string | null = null; ; ) {
          const { edges, hasNextPage } = await due(service, first, after);
          const ids = edges.map(({ node: { card } }) => card.id);
          seen.push(...ids);
          if (!hasNextPage) break;
          after = edges.at(-1)?.cursor ?? null;
          const done = new Set(ids.filter(() => isDone.next().value));
          world.entries = world.entries?.filter(({ cardId }) => !done.has(cardId)) ?? [];
        }
        expect(seen).toEqual(entries.map(({ cardId }) => cardId));
      }),
      { numRuns: runs(100) },
    );
  });

  test("has the due day of each card in the student's time zone, and its retrievability", async () => {
    const { service } = serviceOf({ settings: { timeZone: 'Pacific/Kiritimati' }, entries: [entry('a', 1)] });
    const [first] = (await due(service)).edges;
    expect(first?.node.review).toMatchObject({ dueOn: '2026-02-01', state: 'LEARNING' });
    expect(first?.node.review?.retrievability).toBeLessThan(0.9);
  });
});

test('retrievability is by the fitted parameters if they are used', async () => {
  const weights = default_w.map((weight, place) => (place === 20 ? 3 * weight : weight));
  const recalled = async (fit?: Partial<FittedSchedule>) => {
    const world = { entries: [entry('a', 1)], ...(fit && { fit: fit as FittedSchedule }) };
    return (await due(serviceOf(world).service)).edges[0]?.node.review?.retrievability;
  };
  expect(await recalled({ weights, isUsed: false })).toBe(await recalled());
  expect(await recalled({ weights, isUsed: true })).not.toBe(await recalled());
});

test('whoever has recorded attempts is named to the loop that fits schedules', async () => {
  const practised: Owner[] = [];
  const store = { log: unexpected };
  const service = new PracticeService({
    attempts: {
      ...store,
      record: async () => new Map(),
    },
    reviews: { due: unexpected, done: unexpected, forecast: unexpected, states: unexpected },
    settings: { settings: async () => new Map(), save: unexpected },
    fits: { find: unexpected, weights: async () => new Map() },
    onPractised: (student) => void practised.push(student),
    cards: { byIds: unexpected },
  });
  const one = { key: 'k', cardId: 'c', reviewOf: null, at: AT, correct: true, hints: 0, durationMs: null };
  const rest = { changedAnswer: false, answer: null, isDated: true, recordOccurrence: false };
  const made = ['ben', null, 'ben'].map((ownerId, place) => ({ ...one, ...rest, key: `k${place}`, ownerId }));
  await service.record({ ...AMY, role: 'admin' }, made, AT);
  expect(practised).toEqual([
    { tenantId: 'north', ownerId: 'ben' },
    { tenantId: 'north', ownerId: 'amy' },
  ]);
});

test('the forecast starts today', async () => {
  const { service } = serviceOf({ settings: { timeZone: 'Asia/Shanghai' } });
  expect(await service.forecast(AMY, 3, AT)).toEqual([
    { day: '2026-03-02', reviews: 0 },
    { day: '2026-03-03', reviews: 1 },
    { day: '2026-03-04', reviews: 2 },
  ]);
});

describe('retention', () => {
  const day = (days: number): Date => new Date(AT.getTime() - days * 86_400_000);
  const attempt = (cardId: string, days: number, correct: boolean): Attempt => ({
    key: `${cardId} ${days}`,
    cardId,
    reviewOf: null,
    at: day(days),
    correct,
    hints: 0,
    durationMs: null,
    changedAnswer: false,
  });

  test('counts attempts on a later day than the previous one, for both cards of a sibling', async () => {
    const log = [
      attempt('a', 40, true),
      attempt('a', 35, true),
      attempt('a', 10, true),
      attempt('a', 9.9, false),
      attempt('b', 8, true),
      attempt('b', 2, false),
      attempt('a', 1, true),
    ];
    expect(await retentionOf(log, day(30), 'UTC')).toMatchObject({ reviews: 3, right: 2, retention: 2 / 3 });
    const { low, high } = await retentionOf(log, day(30), 'UTC');
    expect(low).toBeGreaterThan(0.2);
    expect(high).toBeLessThan(0.95);
    const evening = attempt('c', 3.1, true);
    const nextMorning = attempt('c', 2.8, false);
    expect(await retentionOf([evening, nextMorning], day(30), 'UTC')).toMatchObject({ reviews: 1, right: 0 });
    // 17:36 and 00:48 UTC are hours of one day in Shanghai.
    expect(await retentionOf([evening, nextMorning], day(30), 'Asia/Shanghai')).toMatchObject({ reviews: 0 });
    const sibling = { ...attempt('d', 1, true), reviewOf: 'c' };
    const both = [attempt('d', 5, true), evening, sibling];
    expect(await retentionOf(both, day(30), 'UTC')).toMatchObject({ reviews: 2, right: 2 });
    expect(await retentionOf([], day(30), 'UTC')).toEqual({
      reviews: 0,
      right: 0,
      retention: null,
      low: null,
      high: null,
    });
  });
});
