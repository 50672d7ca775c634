import {
  type Card,
  createEmptyCard,
  dateDiffInDays,
  default_w,
  forgetting_curve,
  fsrs,
  type Grade,
  Rating,
  State,
} from 'ts-fsrs';
import { DAY_MS, dateOf, dayOf, laterDay, startOfDay } from '../domain/local-day.js';
import type { Attempt, PracticeSettings, ReviewState, ReviewStep } from '../domain/practice.js';

const STEPS: Readonly<Record<State, ReviewStep>> = {
  [State.New]: 'NEW',
  [State.Learning]: 'LEARNING',
  [State.Review]: 'REVIEW',
  [State.Relearning]: 'RELEARNING',
};

/**
 * The review state after these attempts at one card, at least one, in order of time, by FSRS-6 with its default steps,
 * and without fuzz: the same log gives the same dates. `weights`: null for its default parameters. ts-fsrs counts days
 * by UTC: it gets the student's dates, and what it adds to the last one is the interval.
 */
export function replay(
  attempts: readonly Attempt[],
  { desiredRetention, timeZone }: Pick<PracticeSettings, 'desiredRetention' | 'timeZone'>,
  weights: readonly number[] | null = null,
): ReviewState {
  const scheduler = fsrs({ request_retention: desiredRetention, ...(weights !== null && { w: [...weights] }) });
  let card: Card | null = null;
  for (const attempt of attempts) {
    const date = dateOf(attempt.at, timeZone);
    card = scheduler.next(card ?? createEmptyCard(date), date, gradeOf(attempt)).card;
  }
  const last = attempts.at(-1);
  if (card === null || last === undefined) throw new Error('a review state was derived from no attempt');
  return stateOf(card, last.at, timeZone);
}

/**
 * The probability, 0 .. 1, that the card is still known at a moment, by days as in {@link replay}. `weights`: those by
 * which the state was derived.
 */
export function retrievability(
  { stability, lastReview }: ReviewState,
  at: Date,
  timeZone: string,
  weights: readonly number[] | null = null,
): number {
  const days = dateDiffInDays(dateOf(lastReview, timeZone), dateOf(at, timeZone));
  return forgetting_curve(weights ?? default_w, Math.max(days, 0), stability);
}

function stateOf(card: Card, lastReview: Date, timeZone: string): ReviewState {
  if (card.last_review === undefined) throw new Error('ts-fsrs left a reviewed card without the time of its review');
  return {
    due: dueOf(lastReview, card.due.getTime() - card.last_review.getTime(), timeZone),
    stability: card.stability,
    difficulty: card.difficulty,
    scheduledDays: card.scheduled_days,
    learningSteps: card.learning_steps,
    reps: card.reps,
    lapses: card.lapses,
    state: STEPS[card.state],
    lastReview,
  };
}

/**
 * That much later, in ms. An interval of whole days ends on the day of the student's calendar that is so many days
 * later, also if clocks change in between and the attempt was made within an hour of midnight.
 */
function dueOf(lastReview: Date, intervalMs: number, timeZone: string): Date {
  const due = new Date(lastReview.getTime() + intervalMs);
  if (intervalMs % DAY_MS !== 0) return due;
  const day = laterDay(dayOf(lastReview, timeZone), intervalMs / DAY_MS);
  const dueDay = dayOf(due, timeZone);
  if (dueDay === day) return due;
  return dueDay < day ? startOfDay(day, timeZone) : new Date(startOfDay(laterDay(day, 1), timeZone).getTime() - 1);
}

/** A right answer that took longer was worked out and not recalled. */
const SLOW_MS = 180_000;

/**
 * An attempt's grade for FSRS. Wrong: Again. Right with a hint, after changing the answer, or in more than three
 * minutes: Hard. Else right: Good.
 * Never Easy: a fast answer to a card that was seen before shows that the card is remembered, not that its idea is.
 * Two grades would predict nearly as well: log-loss .326, with four .321 (open-spaced-repetition/srs-benchmark).
 */
export function gradeOf({ correct, hints, changedAnswer, durationMs }: Attempt): Grade {
  if (!correct) return Rating.Again;
  const isHard = hints > 0 || changedAnswer || (durationMs !== null && durationMs > SLOW_MS);
  return isHard ? Rating.Hard : Rating.Good;
}
