import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresAttemptStore } from '../../../prisma/practice/attempts.js';
import { PostgresFittedSchedules } from '../../../prisma/practice/fitted-schedules.js';
import { PostgresPracticeSettings } from '../../../prisma/practice/practice-settings.js';
import { PostgresReviewStore } from '../../../prisma/practice/reviews.js';
import { ForbiddenError } from '../../../src/domain/errors.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { PracticeService } from '../../../src/practice/practice-service.js';
import { admin, type Fixture, newCard, newTenant, openFixture, student } from './fixture.js';

let fixture: Fixture;
let practice: PracticeService;
beforeAll(async () => {
  fixture = await openFixture();
  const { database, cards, dirty } = fixture;
  practice = new PracticeService({
    attempts: new PostgresAttemptStore(database, dirty),
    reviews: new PostgresReviewStore(database),
    settings: new PostgresPracticeSettings(database),
    fits: new PostgresFittedSchedules(database),
    cards,
    onPractised: () => undefined,
  });
});
afterAll(() => fixture.close());

const MINUTE_MS = 60_000;
const STEP_MS = 11 * MINUTE_MS;
const START_MS = Date.parse('2026-03-01T08:00:00Z');

function answerOf(cardId: string, correct: boolean, at: Date, ownerId: string | null = null) {
  const rest = { reviewOf: null, hints: 0, durationMs: null, changedAnswer: false, answer: null, ownerId };
  return { key: `${cardId} ${at.getTime()}`, cardId, correct, at, isDated: true, recordOccurrence: false, ...rest };
}

test('a student who answers every card wrong at first practises as many as the daily limit, each until it is right', async () => {
  const viewer = student(newTenant(), 'amy');
  const ids = Array.from({ length: 9 }, (_, place) => `card-${place}`);
  for (const id of ids) await fixture.cards.create(viewer, newCard({ id }));
  const answer = (cardId: string, correct: boolean, at: Date) =>
    practice.record(viewer, [answerOf(cardId, correct, at)], at);
  // Two right answers end the learning steps: six cards are overdue a month later, and three are new.
  for (const id of ids.slice(3)) for (const step of [0, 1]) await answer(id, true, new Date(START_MS + step * STEP_MS));
  await practice.saveSettings(viewer, { dailyLimit: 4, newPerDay: 2 });
  const answered = new Map<string, number>();
  for (let step = 0; step < 40; step += 1) {
    const at = new Date(START_MS + 30 * 86_400_000 + step * STEP_MS);
    const { edges } = await practice.due(viewer, { at, filter: {}, first: 10, after: null });
    const cardId = edges.at(-1)?.node.card.id;
    if (cardId === undefined) continue;
    await answer(cardId, answered.has(cardId), at);
    answered.set(cardId, (answered.get(cardId) ?? 0) + 1);
  }
  expect(answered.size).toBe(4);
  for (const times of answered.values()) expect(times).toBeGreaterThan(1);
});

test('attempts that were imported for a student at cards of others are neither listed as due nor counted', async () => {
  const tenant = newTenant();
  const [amy, ada] = [student(tenant, 'amy'), admin(tenant)];
  const exam = Array.from({ length: 6 }, (_, place) => `exam-${place}`);
  for (const id of exam) await fixture.cards.create(ada, newCard({ id }));
  await fixture.cards.create(amy, newCard({ id: 'own' }));
  const [at, later] = [new Date(START_MS), new Date(START_MS + 30 * 86_400_000)];
  await practice.record(
    ada,
    exam.map((id) => answerOf(id, false, at, 'amy')),
    at,
  );
  await practice.record(amy, [answerOf('own', true, new Date(START_MS + STEP_MS))], at);
  await practice.saveSettings(amy, { dailyLimit: 4 });
  const due = await practice.due(amy, { at: later, filter: {}, first: 10, after: null });
  expect(due.edges.map(({ node: { card } }) => card.id)).toEqual(['own']);
  expect([due.totalCount, due.dueReviews]).toEqual([1, 1]);
  const forecast = await practice.forecast(amy, 30, later);
  expect(forecast.reduce((sum, { reviews }) => sum + reviews, 0)).toBe(1);
});

test('a request with attempts of a student whose attempts the viewer may not record stores none', async () => {
  const tenant = newTenant();
  const teacher: Viewer = { tenantId: tenant, ownerId: 'tess', role: 'teacher' };
  await fixture.cards.create(teacher, newCard({ id: 'shared' }));
  const at = new Date(START_MS);
  const made = [answerOf('shared', true, at), answerOf('shared', true, at, 'amy')];
  await expect(practice.record(teacher, made, at)).rejects.toThrow(ForbiddenError);
  const [own] = await practice.record(teacher, [answerOf('shared', true, at)], at);
  expect(own?.outcome).toBe('RECORDED');
});

test('a student with 500 attempts at a card can make more, in one request with those of others', async () => {
  const ada = admin(newTenant());
  await fixture.cards.create(ada, newCard({ id: 'exam' }));
  const at = new Date(START_MS);
  const ofBen = Array.from({ length: 501 }, (_, place) => answerOf('exam', true, new Date(START_MS + place), 'ben'));
  const ofAmy = answerOf('exam', true, at, 'amy');
  await practice.record(ada, ofBen.slice(1), at);
  const recorded = { outcome: 'RECORDED' };
  expect(await practice.record(ada, [ofAmy, ...ofBen.slice(0, 1)], at)).toMatchObject([recorded, recorded]);
});

test('practice settings that are changed concurrently are all kept', async () => {
  const viewer = student(newTenant(), 'amy');
  const change = { desiredRetention: 0.8, dailyLimit: 7, newPerDay: 3, timeZone: 'Asia/Shanghai' };
  await Promise.all(Object.entries(change).map(([name, value]) => practice.saveSettings(viewer, { [name]: value })));
  expect(await practice.settings(viewer)).toEqual(change);
});

test('staff read the practice settings and the review statistics of a student, others the defaults', async () => {
  const tenant = newTenant();
  const amy = student(tenant, 'amy');
  await fixture.cards.create(amy, newCard({ id: 'hers' }));
  for (const day of [0, 1]) {
    const at = new Date(START_MS + day * 86_400_000);
    await practice.record(amy, [answerOf('hers', true, at)], at);
  }
  await practice.saveSettings(amy, { desiredRetention: 0.8, timeZone: 'Asia/Shanghai' });
  const period = { days: 30, at: new Date(START_MS + 2 * 86_400_000) };
  const shownTo = async (viewer: Viewer) => {
    const { reviews, desiredRetention } = await practice.statistics(viewer, 'amy', period);
    return [(await practice.settings(viewer, 'amy')).timeZone, desiredRetention, reviews];
  };
  const hers = ['Asia/Shanghai', 0.8, 1];
  expect([await shownTo(amy), await shownTo(admin(tenant))]).toEqual([hers, hers]);
  const nothing = ['UTC', 0.9, 0];
  expect([await shownTo(student(tenant, 'ben')), await shownTo(admin(newTenant()))]).toEqual([nothing, nothing]);
});
