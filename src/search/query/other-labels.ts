import type { SearchOperation, SearchRequest, SearchSubject } from '../../domain/search.js';
import { PROFILE_DEPTH } from '../../lexical/label-posterior.js';
import type { LabelLookup, NamingSearch } from './label-lookup.js';

/** The kind of labels that a search compares alone, and the other kind. */
const KINDS: Partial<Record<SearchOperation, readonly [own: 'concept' | 'error', other: 'concept' | 'error']>> = {
  byConcept: ['concept', 'error'],
  byError: ['error', 'concept'],
};

/** Of the weight of a search's own kind of labels, what it keeps. */
const KEPT = 0.25;

/** A label of which a text has this share of the name may be meant: "diagram drawn wrong", `wrong force diagram`. */
const MEANT = 0.5;

/**
 * The request of byConcept or byError, which weighs the other kind of labels more than its own if the text is the name
 * of such labels and of none of its own: what a teacher calls an error ("fencepost error") may be a topic of the
 * notebook. The same holds for a text that contains such a name ("added the tops and the bottoms": adding fractions),
 * or the name of a narrower label, and means no label of its own kind. Unchanged if the negative query has a weight
 * for the other kind. `subject` is that of the request, a text in its right spelling.
 */
export function weighingOtherLabels(
  request: SearchRequest,
  subject: SearchSubject,
  lookup: LabelLookup,
  { index, vocabulary }: Omit<NamingSearch, 'request'>,
): SearchRequest {
  const { operation, weights, expand, avoid } = request;
  const kinds = KINDS[operation];
  if (kinds === undefined || subject.kind === 'card') return request;
  const { text } = subject;
  const [own, other] = kinds;
  if (avoid[other] > 0) return request;
  const named = lookup.named(index, expand ? vocabulary : null, text);
  if (named[own].length > 0) return request;
  const mentionsOther = (): boolean => {
    const mentioned = lookup.mentioned(index, vocabulary, text);
    if (mentioned[own].length > 0 || mentioned[other].length === 0) return false;
    const likely = index.profiles[own].rank(index.termsOf([text]), PROFILE_DEPTH);
    return likely.every(({ named: share }) => share < MEANT);
  };
  if (named[other].length === 0 && !(expand && mentionsOther())) return request;
  return { ...request, weights: { ...weights, [own]: KEPT * weights[own], [other]: weights[own] } };
}
