import type { Place as AnyPlace } from '../domain/page.js';
import type { DoneCards, DueEntry, DueList } from '../domain/ports/practice.js';
import type { PracticeSettings } from '../domain/practice.js';
import type { ListOrder } from './listed-page.js';

/** Whether it is due again on the day that it was practised on. */
function isAgain({ review }: DueEntry, dayStart: Date): boolean {
  return review !== null && review.lastReview >= dayStart;
}

/** A list that was read before what was done, without the cards that were practised since. */
export function currentList({ entries, dueReviews }: DueList, done: DoneCards, dayStart: Date): DueList {
  const practised = new Set(done.cardIds);
  const current = entries.filter((entry) => isAgain(entry, dayStart) || !practised.has(entry.cardId));
  const reviewsOf = (all: readonly DueEntry[]): number => all.filter(({ review }) => review !== null).length;
  return { entries: current, dueReviews: dueReviews - (reviewsOf(entries) - reviewsOf(current)) };
}

/** What is left of a day. Cards that are due again on the day that they were practised on are in `done` already. */
export function leftOf(
  due: readonly DueEntry[],
  done: DoneCards,
  { dailyLimit, newPerDay }: PracticeSettings,
  dayStart: Date,
): readonly DueEntry[] {
  const first = due.filter((entry) => !isAgain(entry, dayStart));
  const reviews = first.filter(({ review }) => review !== null);
  const fresh = first.filter(({ review }) => review === null).slice(0, Math.max(0, newPerDay - done.firstTime));
  const left = new Set([...reviews, ...fresh].slice(0, Math.max(0, dailyLimit - done.served)));
  return due.filter((entry) => isAgain(entry, dayStart) || left.has(entry));
}

/** Position in the list: of a review when it is due, of a new card when it was created. In ms since 1970. */
type Place = readonly [dueMs: number, cardId: string] | readonly [dueMs: null, cardId: string, createdMs: number];

function placeOf(entry: DueEntry): Place {
  return entry.review === null
    ? [null, entry.cardId, entry.createdAt.getTime()]
    : [entry.review.due.getTime(), entry.cardId];
}

/** Reviews by due date, then new cards, the newest first. */
function isAfter([due, id, createdMs = 0]: Place, [otherDue, otherId, otherCreatedMs = 0]: Place): boolean {
  if (due === null && otherDue === null) {
    return createdMs < otherCreatedMs || (createdMs === otherCreatedMs && id < otherId);
  }
  if (due === null || otherDue === null) return due === null;
  return due > otherDue || (due === otherDue && id > otherId);
}

function isPlace(values: AnyPlace): values is Place {
  const [due, cardId, createdMs] = values;
  if (values.length !== (due === null ? 3 : 2)) return false;
  return typeof cardId === 'string' && Number.isSafeInteger(due === null ? createdMs : due);
}

export const DUE_ORDER: ListOrder<DueEntry, Place> = { placeOf, isPlace, isAfter };
