import { hrefWith } from '../app/href.js';
import type { CardFilter } from '../generated/operations.js';
import { filterOf, filterParams } from '../search/address.js';
import { SORTS, type Sort } from './sorting.js';

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
