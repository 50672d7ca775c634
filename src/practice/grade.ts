import { type Grade, Rating } from 'ts-fsrs';
import type { Attempt } from '../domain/practice.js';

/** How an attempt is graded for FSRS. */
export type GradeOf = (attempt: Attempt) => Grade;

/** A right answer that took longer was worked out and not recalled. */
const SLOW_MS = 180_000;

/**
 * Wrong: Again. Right with a hint, after changing the answer, or in more than three minutes: Hard. Else right: Good.
 * Never Easy: a fast answer to a card that was seen before shows that the card is remembered, not that its idea is.
 * Right and wrong alone lose little (log-loss .326 against .321 with four grades,
 * open-spaced-repetition/srs-benchmark).
 */
export const gradeOf: GradeOf = ({ correct, hints, changedAnswer, durationMs }) => {
  if (!correct) return Rating.Again;
  const isHard = hints > 0 || changedAnswer || (durationMs !== null && durationMs > SLOW_MS);
  return isHard ? Rating.Hard : Rating.Good;
};
