import { DAY_MS } from '../domain/local-day.js';
import type { Attempt, LabelledCard, Mistake } from '../domain/practice.js';
import { sortedSteps } from '../domain/steps.js';
import { Z_95 } from './mastery/gaussian.js';

/** One time that something went wrong: an occurrence of a card's mistake, or a wrong attempt at it. */
export interface MistakeEvent extends Mistake {
  readonly card: LabelledCard;
}

export interface StudentMistake extends MistakeEvent {
  readonly ownerId: string;
}

/** A time, `from` inclusive, `to` exclusive. */
export interface Window {
  readonly from: Date | null;
  readonly to: Date;
}

export function isWithin(at: Date, { from, to }: Window): boolean {
  return at < to && (from === null || at >= from);
}

/** The window, started at least so many days before its end. */
export function lengthened({ from, to }: Window, days: number): Window {
  const start = new Date(to.getTime() - days * DAY_MS);
  return { from: from !== null && from > start ? start : from, to };
}

/**
 * The mistakes of one student in a time, in order. Of several occurrences of a card at the same time, such as those of
 * an imported day, each counts, as does each of several wrong attempts, such as those of a request without times; a
 * wrong attempt that is also an occurrence counts once.
 */
export function* mistakeSteps(
  cards: Iterable<LabelledCard>,
  log: readonly Attempt[],
  window: Window,
): Generator<void, readonly MistakeEvent[]> {
  const byId = new Map([...cards].map((card) => [card.id, card]));
  const events: MistakeEvent[] = [];
  /** Occurrences that may be a wrong attempt, by card and time. */
  const known = new Map<string, number>();
  const keyOf = (cardId: string, at: Date): string => `${cardId} ${at.getTime()}`;
  const add = (event: MistakeEvent): void => {
    if (isWithin(event.at, window)) events.push(event);
  };
  for (const card of byId.values()) {
    yield;
    for (const { at, errorTypes } of card.mistakes) {
      const key = keyOf(card.id, at);
      known.set(key, (known.get(key) ?? 0) + 1);
      add({ card, at, errorTypes: errorTypes.length > 0 ? errorTypes : card.errorTypes });
    }
  }
  for (const { cardId, at, correct } of log) {
    yield;
    const card = byId.get(cardId);
    if (card === undefined || correct) continue;
    const key = keyOf(cardId, at);
    const occurrences = known.get(key) ?? 0;
    if (occurrences > 0) known.set(key, occurrences - 1);
    else add({ card, at, errorTypes: card.errorTypes });
  }
  return yield* sortedSteps(events, (a, b) => a.at.getTime() - b.at.getTime());
}

/** How often something happened lately and before, and how the two rates compare. */
export interface Trend {
  readonly recent: number;
  readonly previous: number;
  /** Recent by previous, with its 95 % interval. */
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

/** Days that a trend compares with as many before them. */
const TREND_DAYS = 28;

/** The window, with all of the time that its trends compare. */
export function withTrend(window: Window): Window {
  return lengthened(window, 2 * TREND_DAYS);
}

/**
 * The rates of two periods of equal length that end at `to`. Half an event is added to each, so that a ratio of small
 * counts is finite; the interval is that of the logarithm of the ratio of two Poisson counts.
 */
export function trendOf(times: readonly Date[], to: Date): Trend {
  const age = (at: Date): number => (to.getTime() - at.getTime()) / DAY_MS;
  const recent = times.filter((at) => age(at) >= 0 && age(at) < TREND_DAYS).length;
  const previous = times.filter((at) => age(at) >= TREND_DAYS && age(at) < 2 * TREND_DAYS).length;
  const ratio = (recent + 0.5) / (previous + 0.5);
  const margin = Math.exp(Z_95 * Math.sqrt(1 / (recent + 0.5) + 1 / (previous + 0.5)));
  return { recent, previous, ratio, low: ratio / margin, high: ratio * margin };
}
