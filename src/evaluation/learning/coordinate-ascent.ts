import type { GoldenCase } from '../../domain/golden.js';
import type { ProfileSettings } from '../../domain/search.js';
import { shuffled } from '../../domain/shuffled.js';
import { seededRandom } from '../random.js';
import { mean } from '../statistics.js';

/** A setting that tuning may change, with its candidate values. */
interface Hyperparameter {
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
  { name: 'inferredWeight', choices: [0, 0.2, 0.55, 0.7].map((inferredWeight) => ({ inferredWeight })) },
  { name: 'lexicalShare', choices: [0, 0.25, 0.5, 0.75, 1].map((lexicalShare) => ({ lexicalShare })) },
  { name: 'weights', choices: WEIGHTS.map((weights) => ({ weights })) },
  { name: 'fusion', choices: (['WEIGHTED', 'RRF', 'RELATIVE'] as const).map((fusion) => ({ fusion })) },
  { name: 'profilePower', choices: [2, 4, 8].map((profilePower) => ({ profilePower })) },
  { name: 'voteShare', choices: [0, 0.2, 0.4, 0.7].map((voteShare) => ({ voteShare })) },
];

/** Objective of each case for some settings, 0 .. 1; repeated settings are answered from memory. */
export type Objective = (settings: ProfileSettings) => Promise<readonly number[]>;

/** Rounds over all hyperparameters; the second one rarely changed anything, and the third never did. */
const ROUNDS = 3;

/** A better mean by less than this is rounding. */
const LEAST_GAIN = 1e-9;

/**
 * Coordinate ascent: one hyperparameter after the other is set to its best value while the others are fixed, until none
 * changes. Deterministic. `cases` are indexes into the result of `objective`.
 */
export async function ascend(
  start: ProfileSettings,
  hyperparameters: readonly Hyperparameter[],
  cases: readonly number[],
  objective: Objective,
): Promise<ProfileSettings> {
  const meanOf = async (settings: ProfileSettings): Promise<number> => {
    const values = await objective(settings);
    return mean(cases.map((place) => values[place] as number));
  };
  let best = start;
  let most = await meanOf(start);
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = best;
    for (const { choices } of hyperparameters) {
      const standing = best;
      for (const choice of choices) {
        const tried = { ...standing, ...choice };
        const value = await meanOf(tried);
        if (value <= most + LEAST_GAIN) continue;
        best = tried;
        most = value;
      }
    }
    if (best === before) break;
  }
  return best;
}

type WithSubject = Pick<GoldenCase, 'subject'>;

export interface TrainTestSplit<C> {
  readonly training: readonly C[];
  readonly test: readonly C[];
}

/**
 * Random split in two, deterministic for a seed. Cases with the same query stay together, so that no query of the test
 * split is seen in training. Both splits keep the order of the cases.
 */
export function trainTestSplit<C extends WithSubject>(cases: readonly C[], seed: number): TrainTestSplit<C> {
  const part = partsOf(cases, 2, seed);
  return {
    training: cases.filter((_, place) => part[place] === 0),
    test: cases.filter((_, place) => part[place] === 1),
  };
}

/** Fold of each case, 0 .. `parts` - 1; sizes differ by at most one query. */
export function partsOf(cases: readonly WithSubject[], parts: number, seed: number): readonly number[] {
  const keys = cases.map(({ subject }) => (subject.kind === 'text' ? subject.text : `card ${subject.cardId}`));
  const questions = [...new Set(keys)];
  const order = shuffled(questions.length, seededRandom(seed));
  const partOf = new Map(order.map((question, place) => [questions[question], place % parts]));
  return keys.map((key) => partOf.get(key) as number);
}
