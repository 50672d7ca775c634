import type { ProfileSettings } from '../../domain/profile.js';

/** A setting that tuning may change, with its candidate values. */
export interface Hyperparameter {
  readonly name: string;
  readonly choices: readonly Partial<ProfileSettings>[];
}

/** Plausible ratios of the perspectives: one that dominates, two that share, all four. */
const WEIGHTS = [
  { question: 1, solution: 0, concept: 0, error: 0 },
  { question: 0.8, solution: 0.1, concept: 0.1, error: 0 },
  { question: 0.6, solution: 0.2, concept: 0.2, error: 0 },
  { question: 0.4, solution: 0.2, concept: 0.4, error: 0 },
  { question: 0.4, solution: 0.4, concept: 0.2, error: 0 },
  { question: 0.4, solution: 0.2, concept: 0.2, error: 0.2 },
];

/**
 * The grid of tuning. Coarse on purpose: some hundred cases cannot distinguish neighbours on a finer grid. Thresholds
 * and diversity are not in it: they decide the number and variety of hits, which ranking metrics do not measure.
 */
export const HYPERPARAMETERS: readonly Hyperparameter[] = [
  { name: 'inferredWeight', choices: [0, 0.2, 0.5, 0.7].map((inferredWeight) => ({ inferredWeight })) },
  { name: 'lexicalShare', choices: [0, 0.25, 0.5, 0.75, 1].map((lexicalShare) => ({ lexicalShare })) },
  { name: 'weights', choices: WEIGHTS.map((weights) => ({ weights })) },
  { name: 'fusion', choices: (['WEIGHTED', 'RRF', 'RELATIVE'] as const).map((fusion) => ({ fusion })) },
  { name: 'profilePower', choices: [2, 4, 8].map((profilePower) => ({ profilePower })) },
  { name: 'voteShare', choices: [0, 0.2, 0.4, 0.7].map((voteShare) => ({ voteShare })) },
];
