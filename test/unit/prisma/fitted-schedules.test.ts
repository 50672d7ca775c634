import { default_w } from 'ts-fsrs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attemptsOf, someParameters } from '../../../bench/reviewers.js';
import { PostgresAttemptStore } from '../../../prisma/practice/attempts.js';
import { PostgresFittedSchedules } from '../../../prisma/practice/fitted-schedules.js';
import { PostgresPracticeSettings } from '../../../prisma/practice/practice-settings.js';
import { type AttemptToRecord, DEFAULT_PRACTICE_SETTINGS } from '../../../src/domain/practice.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { seededRandom } from '../../../src/evaluation/random.js';
import { fitSchedule } from '../../../src/fsrs/fit.js';
import { replay } from '../../../src/fsrs/schedule.js';
import { FittingLoop } from '../../../src/practice/fitting-loop.js';
import { type Fixture, newCard, newTenant, openFixture, student } from './fixture.js';
import { reviewsOf } from './practice-world.js';

let fixture: Fixture;
let attempts: PostgresAttemptStore;
let fits: PostgresFittedSchedules;
let settings: PostgresPracticeSettings;
beforeAll(async () => {
  fixture = await openFixture();
  attempts = new PostgresAttemptStore(fixture.database, fixture.dirty);
  fits = new PostgresFittedSchedules(fixture.database);
  settings = new PostgresPracticeSettings(fixture.database);
});
afterAll(() => fixture.close());

const DAY_MS = 86_400_000;
const START = Date.parse('2026-03-01T23:00:00Z');
const FIT = {
  weights: default_w.map((weight) => Number((1.1 * weight).toFixed(4))),
  isUsed: true,
  ...{ reviews: 400, heldOutReviews: 100, defaultLogLoss: 0.4, logLoss: 0.3 },
};

const attempt = (key: string, cardId: string, day: number, reviewOf: string | null = null): AttemptToRecord => ({
  ...{ key, cardId, reviewOf, at: new Date(START + day * DAY_MS), correct: true, hints: 0, durationMs: null },
  ...{ changedAnswer: false, answer: null, ownerId: null, isDated: true, recordOccurrence: false },
});

async function newStudent(log: readonly AttemptToRecord[]): Promise<Viewer> {
  const viewer = student(newTenant(), 'amy');
  for (const id of ['c1', 'c2']) await fixture.cards.create(viewer, newCard({ id }));
  await attempts.record(viewer, new Map([['amy', log]]));
  return viewer;
}
const states = (viewer: Viewer) => reviewsOf(fixture.database, viewer, 'amy', ['c1', 'c2']);

describe('a fitted schedule', () => {
  const first = [attempt('k1', 'c1', 0), attempt('k2', 'c1', 3), attempt('k3', 'c2', 4, 'c1')];
  const later = attempt('k4', 'c2', 9);
  const of = (cardId: string, log: readonly AttemptToRecord[]) =>
    log.filter((one) => one.cardId === cardId || one.reviewOf === cardId);
  const expected = (log: readonly AttemptToRecord[], weights: readonly number[] | null) =>
    new Map(['c1', 'c2'].map((id) => [id, replay(of(id, log), DEFAULT_PRACTICE_SETTINGS, weights)]));

  test('is that of all review states from then on, until it is deleted', async () => {
    const viewer = await newStudent(first);
    await fits.save(viewer, FIT);
    expect(await states(viewer)).toStrictEqual(expected(first, FIT.weights));
    await attempts.record(viewer, new Map([['amy', [later]]]));
    expect(await states(viewer)).toStrictEqual(expected([...first, later], FIT.weights));
    for (const desiredRetention of [0.8, 0.9]) await settings.save(viewer, { desiredRetention });
    expect(await states(viewer)).toStrictEqual(expected([...first, later], FIT.weights));
    expect(await fits.students(1_000)).toContainEqual({ tenantId: viewer.tenantId, ownerId: 'amy' });
    await fits.remove(viewer);
    expect(await states(viewer)).toStrictEqual(expected([...first, later], null));
    expect(await fits.find(viewer, viewer)).toBeNull();
  });

  test('that is not used changes no state, and ends the use of the one before', async () => {
    const viewer = await newStudent(first);
    const unused = { ...FIT, isUsed: false };
    await fits.save(viewer, unused);
    expect(await states(viewer)).toStrictEqual(expected(first, null));
    expect(await fits.find(viewer, viewer)).toMatchObject(unused);
    await fits.save(viewer, FIT);
    await fits.save(viewer, unused);
    expect(await states(viewer)).toStrictEqual(expected(first, null));
  });

  test('is never one that is worse than the defaults', async () => {
    const viewer = await newStudent(first);
    await expect(fits.save(viewer, { ...FIT, logLoss: 0.4 })).rejects.toThrow(/better_check/);
    expect(await states(viewer)).toStrictEqual(expected(first, null));
  });

  test('is not stored after the student was erased', async () => {
    const viewer = await newStudent([]);
    await fits.save(viewer, FIT);
    expect(await fits.find(viewer, viewer)).toBeNull();
  });

  test('counts attempts on a later day than the one before as reviews, of both cards at a sibling', async () => {
    const viewer = await newStudent([...first, attempt('k5', 'c1', 3.01), attempt('k6', 'c1', 3.1)]);
    expect(await fits.logSize(viewer, 0)).toEqual({ attempts: 5, reviews: 2 });
    // In Shanghai it is 7 o'clock, and then half past 9.
    const morning = await newStudent([attempt('m1', 'c1', 0), attempt('m2', 'c1', 0.1)]);
    const [inUtc, inShanghai] = [await fits.logSize(morning, 0), await fits.logSize(morning, 8 * 60 * 60 * 1_000)];
    expect([inUtc.reviews, inShanghai.reviews]).toEqual([1, 0]);
    const siblings = [0, 3, 9, 20].map((day) => attempt(`s${day}`, 'c2', day, 'c1'));
    expect(await fits.logSize(await newStudent(siblings), 0)).toEqual({ attempts: 4, reviews: 6 });
    expect(await fits.logSize({ ...viewer, ownerId: 'ben' }, 0)).toEqual({ attempts: 0, reviews: 0 });
  });
});

test('the loop fits a student who has recorded enough attempts, and schedules the cards by it', async () => {
  const parameters = someParameters(seededRandom(8), 1);
  const made = [...attemptsOf({ parameters, cards: 50, days: 200, random: seededRandom(108) }).keys()];
  const viewer = student(newTenant(), 'amy');
  const ids = [...new Set(made.map(({ cardId }) => cardId))];
  for (const id of ids) await fixture.cards.create(viewer, newCard({ id }));
  const log = made.map((one) => ({ ...one, answer: null, ownerId: null, isDated: true, recordOccurrence: false }));
  await attempts.record(viewer, new Map([['amy', log]]));
  const facts: object[] = [];
  const loop = new FittingLoop({
    store: fits,
    attempts,
    settings,
    isOn: true,
    takeTurn: async (step) => step(),
    log: { info: (fact) => void facts.push(fact), warn: (fact) => void facts.push(fact) },
  });
  loop.practised(viewer);
  await loop.pass(new AbortController().signal);
  const fit = await fits.find(viewer, viewer);
  expect(fit).toEqual({ ...(await fitSchedule(made, 'UTC', async (step) => step())), fittedAt: expect.any(Date) });
  expect(fit?.isUsed).toBe(true);
  expect(facts).toMatchObject([
    { tenantId: viewer.tenantId, isUsed: true, reviews: (await fits.logSize(viewer, 0)).reviews },
  ]);
  expect(JSON.stringify(facts)).not.toContain('amy');
  const states = await reviewsOf(fixture.database, viewer, 'amy', ids);
  for (const id of ids) {
    const own = made.filter(({ cardId }) => cardId === id);
    expect(states.get(id)).toStrictEqual(replay(own, DEFAULT_PRACTICE_SETTINGS, fit?.weights));
  }
});
