import { byPerspective } from '../../domain/perspective.js';
import type { LabelPerspective, SearchOperation, SearchRequest, SearchSubject } from '../../domain/search.js';
import { PROFILE_DEPTH } from '../../lexical/label-posterior.js';
import { contentTerms, isFormulaTerm } from '../../lexical/terms.js';
import { sumOf } from '../lanes.js';
import type { SearchScope } from '../scope.js';
import { type LabelNames, LONGEST_NAME } from './label-names.js';
import { DESCRIPTION_TERMS } from './query.js';

/** The kind of labels that a search compares, and the other kind. */
const KINDS: Partial<Record<SearchOperation, readonly [own: LabelPerspective, other: LabelPerspective]>> = {
  byConcept: ['concept', 'error'],
  byError: ['error', 'concept'],
  hybridSearch: ['concept', 'error'],
};

/** What a search keeps of its own weights. */
const KEPT = 0.25;

/** A label of which a text has this share of the name may be meant: "diagram drawn wrong", `wrong force diagram`. */
const MEANT = 0.5;

/** One word may be in the name of an error type by chance, and what it is about is asked by similar questions too. */
const LEAST_WORDS = 2;

/**
 * The request of byConcept or byError, which weighs the other kind of labels more than its own if the text is the name
 * of such labels and of none of its own: what a teacher calls an error ("fencepost error") may be a topic of the
 * notebook. The same holds for a text that contains such a name ("added the tops and the bottoms": adding fractions),
 * or the name of a narrower label, and means no label of its own kind; and for hybridSearch with default weights, of
 * which errors have none: they found 58 of 161 error types by their names. Unchanged if the other kind has a weight, in
 * the search or its negative query. `meansOther` is {@link meansOtherLabels}, asked only if it matters.
 */
export function weighingOtherLabels(request: SearchRequest, meansOther: () => boolean): SearchRequest {
  const { operation, weights, defaultWeights, avoid } = request;
  const kinds = KINDS[operation];
  if (kinds === undefined) return request;
  const [, other] = kinds;
  if (weights[other] > 0 || avoid[other] > 0 || (operation === 'hybridSearch' && !defaultWeights)) return request;
  if (!meansOther()) return request;
  const kept = byPerspective((perspective) => KEPT * weights[perspective]);
  return { ...request, weights: { ...kept, [other]: sumOf(weights) } };
}

/**
 * Whether a text means labels of the other kind than the search compares, and none of its own; the weights do not
 * matter. `subject` is that of the request, a text in its right spelling.
 */
export function meansOtherLabels(
  { operation, expand }: Pick<SearchRequest, 'operation' | 'expand'>,
  subject: SearchSubject,
  names: LabelNames,
  { index, vocabulary }: Pick<SearchScope, 'index' | 'vocabulary'>,
): boolean {
  const kinds = KINDS[operation];
  if (kinds === undefined || subject.kind === 'card') return false;
  const { text } = subject;
  const [own, other] = kinds;
  const named = names.named(expand ? vocabulary : null, text);
  if (named[own].length > 0) return false;
  if (named[other].length > 0) return true;
  if (!expand) return false;
  if (other === 'error' && describesError(text, index)) return true;
  const mentioned = names.mentioned(vocabulary, text);
  if (mentioned[own].length > 0 || mentioned[other].length === 0) return false;
  const likely = index.profiles[own].rank(index.termsOf([text]), PROFILE_DEPTH);
  return likely.every(({ named: share }) => share < MEANT);
}

/**
 * Whether the name of an error type has at least half of the words of a text, and two of them, and no name of a topic
 * has as many: error types may be sentences, of which a teacher says two words (`like terms`).
 */
function describesError(text: string, index: SearchScope['index']): boolean {
  if (text.length > LONGEST_NAME) return false;
  const terms = [...new Set(contentTerms(index.termsOf([text])))];
  if (terms.length > DESCRIPTION_TERMS) return false;
  const words = terms.filter((term) => !isFormulaTerm(term));
  const mostIn = (perspective: LabelPerspective): number => index.profiles[perspective].names.mostIn(words);
  const most = mostIn('error');
  return most >= Math.max(LEAST_WORDS, MEANT * terms.length) && most > mostIn('concept');
}
