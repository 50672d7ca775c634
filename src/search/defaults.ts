import type { ByPerspective } from '../domain/perspective.js';
import type { ProfileSettings } from '../domain/profile.js';
import type { SearchOperation } from '../domain/search.js';

/** What counts in one kind of search, where the client does not say. */
interface Defaults {
  readonly weights: ByPerspective<number>;
  /** 0 .. 1: the words' part of each perspective's weight; the vectors have the rest. */
  readonly lexicalShare: number;
}

/**
 * With the built-in embedder, which also sees words, the two are worth about the same and find different things. nDCG@10 of
 * the vectors, the words and both, before labels are inferred: errors in algebra .451, .436, .486; of an equation tutor .423,
 * .306, .416; questions in English .277, .269, and both with all perspectives .291.
 */
const LEXICAL_SHARE = 0.5;

/**
 * How much each perspective counts in each kind of search, and the words in it. The named searches look at one perspective;
 * the weighing one trusts the question most and leaves errors to those who ask for them.
 */
export const DEFAULTS = {
  similarQuestions: { weights: { question: 1, solution: 0, concept: 0, error: 0 }, lexicalShare: LEXICAL_SHARE },
  bySolution: { weights: { question: 0, solution: 1, concept: 0, error: 0 }, lexicalShare: LEXICAL_SHARE },
  byConcept: { weights: { question: 0, solution: 0, concept: 1, error: 0 }, lexicalShare: LEXICAL_SHARE },
  byError: { weights: { question: 0, solution: 0, concept: 0, error: 1 }, lexicalShare: LEXICAL_SHARE },
  hybridSearch: { weights: { question: 0.6, solution: 0.2, concept: 0.2, error: 0 }, lexicalShare: LEXICAL_SHARE },
} as const satisfies Readonly<Record<SearchOperation, Defaults>>;

/**
 * What the inferred lanes weigh beside all others. nDCG@10 / MRR without and with them, for queries whose own cards are not in
 * the collection, half of them unseen when this was chosen: topics in English .291 / .502 and .476 / .508; errors in algebra
 * .486 / .516 and .618 / .577, of an equation tutor .416 / .572 and .567 / .609. More lifts nDCG and lowers MRR.
 */
export const INFERRED_WEIGHT = 0.4;

/** A profile's settings for one kind of search: the named searches look at their own perspective, whatever it weighs there. */
export function settingsOf(operation: SearchOperation, settings: ProfileSettings): ProfileSettings {
  return operation === 'hybridSearch' ? settings : { ...settings, weights: DEFAULTS[operation].weights };
}
