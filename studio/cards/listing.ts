import type { CardFilter } from '../generated/operations.js';
import { withField } from '../search/state.js';
import { DIFFICULTIES, QUALITY } from '../ui/card-values.js';
import { SORTS, type Sort } from './sorting.js';

/** What the list of cards shows. It is in the address of the page: a reload and the way back from a card keep it. */
export interface Listing {
  readonly filter: CardFilter;
  readonly sort: Sort;
}

const LISTS = ['subjects', 'grades', 'topicTags', 'errorTypes'] as const;
const LEVELS = ['difficultyMin', 'difficultyMax'] as const;

/** An address may be typed: what it cannot mean is left out. */
export function listingOf(params: URLSearchParams): Listing {
  const grades = QUALITY.filter((grade) => params.getAll('qualityGrades').includes(grade));
  let filter = withField({}, 'qualityGrades', grades);
  for (const field of LISTS) filter = withField(filter, field, params.getAll(field));
  for (const field of LEVELS) {
    filter = withField(
      filter,
      field,
      DIFFICULTIES.find((level) => String(level) === params.get(field)),
    );
  }
  return { filter, sort: SORTS.find((sort) => sort === params.get('sort')) ?? 'newest' };
}

export function addressOf({ filter, sort }: Listing): string {
  const params = new URLSearchParams(sort === 'newest' ? [] : [['sort', sort]]);
  for (const [field, value] of Object.entries(filter)) for (const one of [value].flat()) params.append(field, `${one}`);
  return params.size === 0 ? '#/cards' : `#/cards?${params}`;
}
