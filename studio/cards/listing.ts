import { hrefWith } from '../app/href.js';
import type { CardFields, CardFilter, CardOrderInput } from '../generated/operations.js';
import { filterOf, filterParams } from '../search/address.js';

/** What the list of cards shows. It is in the address of the page: a reload and the way back from a card keep it. */
export interface Listing {
  readonly filter: CardFilter;
  readonly sort: Sort;
}

/** An address may be typed: what it cannot mean is left out. */
export function listingOf(params: URLSearchParams): Listing {
  return { filter: filterOf(params), sort: SORTS.find((sort) => sort === params.get('sort')) ?? 'newest' };
}

export function addressOf({ filter, sort }: Listing): string {
  return hrefWith('cards', { sort: sort === 'newest' ? null : sort, ...filterParams(filter) });
}

/** The orders that the API lists cards in; null: its own, the newest first. */
const BY_API = {
  newest: null,
  occurred: { field: 'OCCURRED' },
  difficult: { field: 'DIFFICULTY' },
  easy: { field: 'DIFFICULTY', direction: 'ASC' },
} as const satisfies Readonly<Record<string, CardOrderInput | null>>;

/** The orders that need all cards. */
const BY_PAGE = {
  frequent: (a, b) => b.occurrences - a.occurrences,
  subject: (a, b) =>
    a.subject.localeCompare(b.subject) || (a.grade ?? '').localeCompare(b.grade ?? '', 'en', { numeric: true }),
} as const satisfies Readonly<Record<string, (a: CardFields, b: CardFields) => number>>;

type Sort = keyof typeof BY_API | keyof typeof BY_PAGE;

export const SORTS = [...Object.keys(BY_API), ...Object.keys(BY_PAGE)] as readonly Sort[];

export function orderOf(sort: Sort): CardOrderInput | null {
  return isByPage(sort) ? null : BY_API[sort];
}

export function isByPage(sort: Sort): sort is keyof typeof BY_PAGE {
  return sort in BY_PAGE;
}

export function sorted(cards: readonly CardFields[], sort: Sort): readonly CardFields[] {
  return isByPage(sort) ? [...cards].sort(BY_PAGE[sort]) : cards;
}
