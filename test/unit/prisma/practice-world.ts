import { afterAll } from 'vitest';
import type { Database } from '../../../prisma/client.js';
import { PostgresAttemptStore } from '../../../prisma/practice/attempts.js';
import { PostgresPracticeSettings } from '../../../prisma/practice/practice-settings.js';
import { findReviews } from '../../../prisma/practice/review-states.js';
import type { AttemptResult, AttemptToRecord, ReviewState } from '../../../src/domain/practice.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { type Fixture, newCard, newTenant, openFixture, student } from './fixture.js';

export const START = Date.parse('2026-03-01T08:00:00Z');
export const attempt = (key: string, over: Partial<AttemptToRecord> = {}): AttemptToRecord => ({
  key,
  cardId: 'c1',
  reviewOf: null,
  at: new Date(START),
  correct: true,
  hints: 0,
  durationMs: null,
  changedAnswer: false,
  answer: null,
  ownerId: null,
  isDated: true,
  recordOccurrence: false,
  ...over,
});

/** A range of the log. */
export const ALL = { limit: 1_000 };

/** The review states of an owner, by card id. */
export async function reviewsOf(
  database: Database,
  viewer: Viewer,
  ownerId: string,
  cardIds: readonly string[],
): Promise<ReadonlyMap<string, ReviewState>> {
  const cards = cardIds.map((cardId) => ({ ownerId, cardId }));
  return (await findReviews(database.as(viewer), viewer, cards)).get(ownerId) ?? new Map();
}

export interface PracticeWorld {
  readonly fixture: Fixture;
  readonly store: PostgresAttemptStore;
  readonly settingsStore: PostgresPracticeSettings;
  /** A student of a school of their own, with some cards. */
  newStudent(cards?: readonly string[]): Promise<Viewer>;
  record(viewer: Viewer, attempts: readonly AttemptToRecord[]): Promise<readonly AttemptResult[]>;
  states(viewer: Viewer): ReturnType<typeof reviewsOf>;
  /** Changes the retention and back: all review states are derived anew, twice. */
  deriveAgain(viewer: Viewer): Promise<void>;
}

/** The practice of students on a database of the test file. */
export async function practiceWorld(): Promise<PracticeWorld> {
  const fixture = await openFixture();
  afterAll(() => fixture.close());
  const store = new PostgresAttemptStore(fixture.database, fixture.dirty);
  const settingsStore = new PostgresPracticeSettings(fixture.database);
  return {
    fixture,
    store,
    settingsStore,
    async newStudent(cards = ['c1', 'c2', 'c3']) {
      const viewer = student(newTenant(), 'amy');
      for (const id of cards) await fixture.cards.create(viewer, newCard({ id }));
      return viewer;
    },
    record: async (viewer, attempts) =>
      (await store.record(viewer, new Map([[viewer.ownerId, attempts]]))).get(viewer.ownerId) ?? [],
    states: (viewer) => reviewsOf(fixture.database, viewer, viewer.ownerId, ['c1', 'c2', 'c3']),
    async deriveAgain(viewer) {
      for (const desiredRetention of [0.8, 0.9]) await settingsStore.save(viewer, { desiredRetention });
    },
  };
}
