import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresAttemptStore } from '../../../prisma/attempts.js';
import { PostgresFittedSchedules } from '../../../prisma/fitted-schedules.js';
import { PostgresPracticeSettings } from '../../../prisma/practice-settings.js';
import { PostgresReviewStore } from '../../../prisma/reviews.js';
import { PracticeService } from '../../../src/practice/practice-service.js';
import { type Fixture, newCard, newTenant, openFixture, student } from './fixture.js';

let fixture: Fixture;
let practice: PracticeService;
beforeAll(async () => {
  fixture = await openFixture();
  const { database, cards } = fixture;
  practice = new PracticeService({
    attempts: new PostgresAttemptStore(database),
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

test('a student who answers every card wrong at first practises as many as the daily limit, each until it is right', async () => {
  const viewer = student(newTenant(), 'amy');
  const ids = Array.from({ length: 9 }, (_, place) => `card-${place}`);
  for (const id of ids) await fixture.cards.create(viewer, newCard({ id }));
  const answer = async (cardId: string, correct: boolean, at: Date) => {
    const rest = { reviewOf: null, hints: 0, durationMs: null, changedAnswer: false, answer: null, ownerId: null };
    const one = { key: `${cardId} ${at.getTime()}`, cardId, correct, at, isDated: true, recordOccurrence: false };
    await practice.record(viewer, [{ ...one, ...rest }], at);
  };
  const start = Date.parse('2026-03-01T08:00:00Z');
  // Two right answers end the learning steps: six cards are overdue a month later, and three are new.
  for (const id of ids.slice(3)) for (const step of [0, 1]) await answer(id, true, new Date(start + step * STEP_MS));
  await practice.saveSettings(viewer, { dailyLimit: 4, newPerDay: 2 });
  const answered = new Map<string, number>();
  for (let step = 0; step < 40; step += 1) {
    const at = new Date(start + 30 * 86_400_000 + step * STEP_MS);
    const { edges } = await practice.due(viewer, { at, filter: {}, first: 10, after: null });
    const cardId = edges.at(-1)?.due.card.id;
    if (cardId === undefined) continue;
    await answer(cardId, answered.has(cardId), at);
    answered.set(cardId, (answered.get(cardId) ?? 0) + 1);
  }
  expect(answered.size).toBe(4);
  for (const times of answered.values()) expect(times).toBeGreaterThan(1);
});

test('practice settings that are changed concurrently are all kept', async () => {
  const viewer = student(newTenant(), 'amy');
  const change = { desiredRetention: 0.8, dailyLimit: 7, newPerDay: 3, timeZone: 'Asia/Shanghai' };
  await Promise.all(Object.entries(change).map(([name, value]) => practice.saveSettings(viewer, { [name]: value })));
  expect(await practice.settings(viewer)).toEqual(change);
});
