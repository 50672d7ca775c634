import { type Grade, Rating } from 'ts-fsrs';
import type { Attempt } from '../domain/practice.js';

/** A right answer that took longer was worked out and not recalled. */
const SLOW_MS = 180_000;

/**
 * An attempt's grade for FSRS. Wrong: Again. Right with a hint, after changing the answer, or in more than three
 * minutes: Hard. Else right: Good.
 * Never Easy: a fast answer to a card that was seen before shows that the card is remembered, not that its idea is.
 * Right and wrong alone lose little (log-loss .326 against .321 with four grades,
 * open-spaced-repetition/srs-benchmark).
 */
export function gradeOf({ correct, hints, changedAnswer, durationMs }: Attempt): Grade {
  if (!correct) return Rating.Again;
  const isHard = hints > 0 || changedAnswer || (durationMs !== null && durationMs > SLOW_MS);
  return isHard ? Rating.Hard : Rating.Good;
}
