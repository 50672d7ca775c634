import { expect, test } from 'vitest';
import type { DueEntry } from '../../../src/domain/ports/practice.js';
import { DEFAULT_PRACTICE_SETTINGS } from '../../../src/domain/practice.js';
import { currentList, leftOf } from '../../../src/practice/due-list.js';

const DAY = new Date('2026-03-02T00:00:00Z');

function entry(cardId: string, lastReview: string | null): DueEntry {
  const createdAt = new Date('2026-03-01T00:00:00Z');
  const review = lastReview === null ? null : { lastReview: new Date(lastReview), due: DAY };
  return { cardId, createdAt, review } as DueEntry;
}

test('a card that is practised while the list is read is not left, and counts once', () => {
  const due = [
    entry('again', '2026-03-02T08:00:00Z'),
    entry('review', '2026-02-20T08:00:00Z'),
    entry('known', '2026-02-20T08:00:00Z'),
    entry('fresh', null),
    ...['new-1', 'new-2'].map((id) => entry(id, null)),
  ];
  const done = { cardIds: ['again', 'known', 'fresh'], served: 3, firstTime: 1 };
  const settings = { ...DEFAULT_PRACTICE_SETTINGS, newPerDay: 3, dailyLimit: 10 };
  const { entries, dueReviews } = currentList({ entries: due, dueReviews: 5 }, done, DAY);
  expect(dueReviews).toBe(4);
  expect(leftOf(entries, done, settings, DAY).map(({ cardId }) => cardId)).toEqual([
    'again',
    'review',
    'new-1',
    'new-2',
  ]);
});
