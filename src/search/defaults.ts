import type { ByPerspective } from '../domain/perspective.js';

/**
 * How much each perspective counts in each kind of search, where the client does not say. The named searches look at one
 * perspective; the weighing one trusts the question most and leaves errors to those who ask for them.
 */
export const DEFAULT_WEIGHTS = {
  similarQuestions: { question: 1, solution: 0, concept: 0, error: 0 },
  bySolution: { question: 0, solution: 1, concept: 0, error: 0 },
  byConcept: { question: 0, solution: 0, concept: 1, error: 0 },
  byError: { question: 0, solution: 0, concept: 0, error: 1 },
  hybridSearch: { question: 0.6, solution: 0.2, concept: 0.2, error: 0 },
} as const satisfies Readonly<Record<string, ByPerspective<number>>>;

/** The searches that the API offers. */
export type SearchOperation = keyof typeof DEFAULT_WEIGHTS;
