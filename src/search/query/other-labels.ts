import type { SearchOperation, SearchRequest } from '../../domain/search.js';
import type { LabelLookup, NamingSearch } from './label-lookup.js';

/** The kind of labels that a search compares alone, and the other kind. */
const KINDS: Partial<Record<SearchOperation, readonly [own: 'concept' | 'error', other: 'concept' | 'error']>> = {
  byConcept: ['concept', 'error'],
  byError: ['error', 'concept'],
};

/** Of the weight of a search's own kind of labels, what it keeps. */
const KEPT = 0.25;

/**
 * The request of byConcept or byError, which weighs the other kind of labels more than its own if the text is the name
 * of such labels and of none of its own: what a teacher calls an error ("fencepost error") may be a topic of the
 * notebook. Not if hits are to differ from the query in that kind.
 */
export function weighingOtherLabels(
  request: SearchRequest,
  lookup: LabelLookup,
  { index, vocabulary }: Omit<NamingSearch, 'request'>,
): SearchRequest {
  const { operation, subject, weights, expand, avoid } = request;
  const kinds = KINDS[operation];
  if (kinds === undefined || subject.kind === 'card') return request;
  const [own, other] = kinds;
  if (avoid[other] > 0) return request;
  const named = lookup.named(index, expand ? vocabulary : null, subject.text);
  if (named[own].length > 0 || named[other].length === 0) return request;
  return { ...request, weights: { ...weights, [own]: KEPT * weights[own], [other]: weights[own] } };
}
