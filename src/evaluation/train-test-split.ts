import type { GoldenCase } from '../domain/golden.js';
import { seededRandom, shuffled } from './random.js';

/** Cases to learn from, and cases that nothing was learned from. */
export interface TrainTestSplit {
  readonly training: readonly GoldenCase[];
  readonly heldOut: readonly GoldenCase[];
}

/**
 * Divides the cases in two by chance, the same way for the same seed. Cases that ask the same stay together, else the half that
 * is held out would have been seen. Each half keeps the order of the cases.
 */
export function trainTestSplit(cases: readonly GoldenCase[], seed: number): TrainTestSplit {
  const part = partsOf(cases, 2, seed);
  return {
    training: cases.filter((_, place) => part[place] === 0),
    heldOut: cases.filter((_, place) => part[place] === 1),
  };
}

/** The number of the part, 0 .. `parts` - 1, that each case belongs to; parts differ by at most one question in size. */
export function partsOf(cases: readonly GoldenCase[], parts: number, seed: number): readonly number[] {
  const keys = cases.map(({ subject }) => (subject.kind === 'text' ? subject.text : `card ${subject.cardId}`));
  const questions = [...new Set(keys)];
  const order = shuffled(questions.length, seededRandom(seed));
  const partOf = new Map(order.map((question, place) => [questions[question], place % parts]));
  return keys.map((key) => partOf.get(key) as number);
}
