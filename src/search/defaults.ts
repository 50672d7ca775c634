import type { ByPerspective } from '../domain/perspective.js';

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
} as const satisfies Readonly<Record<string, Defaults>>;

/** The searches that the API offers. */
export type SearchOperation = keyof typeof DEFAULTS;

/**
 * What the inferred lanes weigh beside all others. nDCG@10 / MRR without and with them, over held-out queries whose own cards
 * are not in the collection: topics in Chinese .183 / .268 and .372 / .388, in English .304 / .518 and .506 / .535; errors in
 * algebra .482 / .562 and .554 / .509, of an equation tutor .392 / .547 and .526 / .553. More lifts nDCG and lowers MRR.
 */
export const INFERRED_WEIGHT = 0.4;
