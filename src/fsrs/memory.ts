import { dateDiffInDays, FSRSAlgorithm, type FSRSState, type Grade } from 'ts-fsrs';
import { dateOf } from '../domain/local-day.js';
import { type Attempt, reviewedBy } from '../domain/practice.js';
import { gradeOf } from './schedule.js';

/** An attempt at a card, as FSRS sees it. */
export interface Step {
  readonly attempt: Attempt;
  readonly atMs: number;
  /** Days in the student's time zone since the attempt before at the same card; 0 for the first one. */
  readonly days: number;
  readonly grade: Grade;
}

/** The attempts at one card, in order of time. */
export type CardHistory = readonly Step[];

/**
 * `log` is in order of time; each attempt is a step. An attempt at a sibling counts for both cards, as in the review
 * states.
 */
export function* historySteps(log: readonly Attempt[], timeZone: string): Generator<void, readonly CardHistory[]> {
  const histories = new Map<string, { last: Date; readonly steps: Step[] }>();
  for (const attempt of log) {
    yield;
    const date = dateOf(attempt.at, timeZone);
    for (const cardId of reviewedBy(attempt)) {
      const history = histories.get(cardId) ?? { last: date, steps: [] };
      histories.set(cardId, history);
      const days = dateDiffInDays(history.last, date);
      history.steps.push({ attempt, atMs: attempt.at.getTime(), days, grade: gradeOf(attempt) });
      history.last = date;
    }
  }
  return [...histories.values()].map(({ steps }) => steps);
}

/** From when until when reviews are predicted, in ms since 1970: the first inclusive, the second exclusive. */
export type Period = readonly [fromMs: number, toMs: number];

/** A right answer that is certain to be wrong would cost infinitely much. */
const LEAST = 1e-4;

/**
 * Log loss of each review in the period, predicted from the attempts before it. Attempts on the same day are no
 * reviews.
 */
export function logLosses(histories: readonly CardHistory[], weights: readonly number[], period: Period): number[] {
  const [fromMs, toMs] = period;
  const losses: number[] = [];
  for (const [{ atMs, grade }, recalled] of predictions(histories, weights, toMs)) {
    if (atMs >= fromMs) losses.push(-Math.log(grade > 1 ? recalled : 1 - recalled));
  }
  return losses;
}

/** Each review before a moment, and the probability of recall that follows from the attempts before it. */
export function* predictions(
  histories: readonly CardHistory[],
  weights: readonly number[],
  toMs = Number.POSITIVE_INFINITY,
): Generator<readonly [step: Step, recalled: number], void, undefined> {
  const algorithm = new FSRSAlgorithm({ w: [...weights] });
  for (const history of histories) {
    let memory: FSRSState | null = null;
    for (const step of history) {
      if (step.atMs >= toMs) break;
      const { days, grade } = step;
      const recalled: number | undefined =
        memory === null || days === 0 ? undefined : algorithm.forgetting_curve(days, memory.stability);
      if (recalled !== undefined) yield [step, Math.min(1 - LEAST, Math.max(LEAST, recalled))];
      memory = algorithm.next_state(memory, days, grade, recalled);
    }
  }
}
