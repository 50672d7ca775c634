import { type CountedPage, listCursor, type Place, placeInList } from '../domain/page.js';
import type { PageRequest } from '../domain/ports/cards.js';

export interface ListOrder<T, P extends Place> {
  placeOf(entry: T): P;
  isPlace(values: Place): values is P;
  /** Whether the first place comes after the second one. */
  isAfter(place: P, other: P): boolean;
}

/**
 * A page of the sorted list with this digest. A cursor stays valid when its entry is no longer in the list.
 * BadInputError (`after`).
 */
export function pageOf<T, P extends Place>(
  entries: readonly T[],
  { first, after }: PageRequest,
  { placeOf, isPlace, isAfter }: ListOrder<T, P>,
  list: string,
): CountedPage<T> {
  const last = after === null ? null : placeInList(after, isPlace, list);
  const next = last === null ? 0 : entries.findIndex((entry) => isAfter(placeOf(entry), last));
  const left = next === -1 ? [] : entries.slice(next);
  return {
    edges: left.slice(0, first).map((node) => ({ cursor: listCursor(placeOf(node), list), node })),
    hasNextPage: left.length > first,
    totalCount: entries.length,
  };
}
