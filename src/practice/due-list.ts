import type { Place as AnyPlace } from '../domain/page.js';
import type { DoneCards, DueEntry } from '../domain/ports/practice.js';
import type { PracticeSettings } from '../domain/practice.js';
import type { ListOrder } from './listed-page.js';

/**
 * What is left of a day. Cards that are due again on the day that they were practised on are in `done` already. `due`
 * may have been read before an attempt that `done` knows: its card is not left.
 */
export function leftOf(
  due: readonly DueEntry[],
  done: DoneCards,
  { dailyLimit, newPerDay }: PracticeSettings,
  dayStart: Date,
): readonly DueEntry[] {
  const isAgain = ({ review }: DueEntry): boolean => review !== null && review.lastReview >= dayStart;
  const practised = new Set(done.cardIds);
  const first = due.filter((entry) => !isAgain(entry) && !practised.has(entry.cardId));
  const reviews = first.filter(({ review }) => review !== null);
  const fresh = first.filter(({ review }) => review === null).slice(0, Math.max(0, newPerDay - done.firstTime));
  const left = new Set([...reviews, ...fresh].slice(0, Math.max(0, dailyLimit - done.served)));
  return due.filter((entry) => isAgain(entry) || left.has(entry));
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
