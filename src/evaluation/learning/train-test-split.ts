import type { GoldenCase } from '../../domain/golden.js';
import { seededRandom, shuffled } from '../random.js';

export interface TrainTestSplit {
  readonly training: readonly GoldenCase[];
  readonly test: readonly GoldenCase[];
}

/**
 * Random split in two, deterministic for a seed. Cases with the same query stay together, so that no query of the test
 * split is seen in training. Both splits keep the order of the cases.
 */
export function trainTestSplit(cases: readonly GoldenCase[], seed: number): TrainTestSplit {
  const part = partsOf(cases, 2, seed);
  return {
    training: cases.filter((_, place) => part[place] === 0),
    test: cases.filter((_, place) => part[place] === 1),
  };
}

/** Fold of each case, 0 .. `parts` - 1; sizes differ by at most one query. */
export function partsOf(cases: readonly Pick<GoldenCase, 'subject'>[], parts: number, seed: number): readonly number[] {
  const keys = cases.map(({ subject }) => (subject.kind === 'text' ? subject.text : `card ${subject.cardId}`));
  const questions = [...new Set(keys)];
  const order = shuffled(questions.length, seededRandom(seed));
  const partOf = new Map(order.map((question, place) => [questions[question], place % parts]));
  return keys.map((key) => partOf.get(key) as number);
}
