import { distinctBy } from '../domain/grouped.js';
import { DAY_MS } from '../domain/local-day.js';
import type { Attempt, LabelledCard } from '../domain/practice.js';
import { isWithin, type MistakeEvent, type Trend, trendOf, type Window } from './mistakes.js';
import type { StudentModel } from './student-model.js';

export interface FingerprintCell {
  readonly errorType: string;
  /** Null for cards without topic tags. */
  readonly topicTag: string | null;
  /** Mistakes whose error type somebody stored. */
  readonly mistakes: number;
  /** Mistakes whose error type was inferred from the card's text. */
  readonly inferred: number;
  readonly lastAt: Date;
  /** Of all of them, and of those before the window. */
  readonly trend: Trend;
  /** The cards of the latest mistakes, newest first. */
  readonly cardIds: readonly string[];
}

export interface WorthWorkingOn extends FingerprintCell {
  /** Recent mistakes count most, and what the student cannot do yet. */
  readonly score: number;
  /** That the student solves a card of this topic, or with this error, now. */
  readonly successProbability: number;
}

/** The same error again after it seemed to be over. */
export interface RepeatOffence {
  readonly errorType: string;
  /** How often it came back. */
  readonly times: number;
  readonly lastAt: Date;
  /** Right answers to cards with this error between the last two times. */
  readonly rightBetween: number;
  /** The card of the last time. */
  readonly cardId: string;
}

export interface Fingerprint {
  readonly cells: readonly FingerprintCell[];
  readonly mostWorth: readonly WorthWorkingOn[];
  readonly repeatOffences: readonly RepeatOffence[];
  /** Mistakes without any error type, stored or inferred. */
  readonly unlabelled: number;
}

/** Cells of a fingerprint: errors of a student beyond them happened once. */
const MAX_CELLS = 100;
const MAX_WORTH = 3;
const MAX_EVIDENCE = 3;
const MAX_OFFENCES = 50;

const HALF_LIFE_DAYS = 30;

export interface FingerprintFacts {
  readonly cards: readonly LabelledCard[];
  readonly log: readonly Attempt[];
  /** Those of the window and of its trends, in order. */
  readonly mistakes: readonly MistakeEvent[];
  /** The error types that were inferred for cards without any, by card id. */
  readonly inferred: ReadonlyMap<string, readonly string[]>;
  readonly model: StudentModel;
  readonly window: Window;
}

interface Counted {
  readonly errorType: string;
  readonly topicTag: string | null;
  /** Those of the window. */
  readonly events: { readonly event: MistakeEvent; readonly isInferred: boolean }[];
  /** Of the window and of the trend, which may begin earlier. */
  readonly times: Date[];
}

export function* fingerprintSteps({
  cards,
  log,
  mistakes,
  inferred,
  model,
  window,
}: FingerprintFacts): Generator<void, Fingerprint> {
  const cells = new Map<string, Counted>();
  const counted: MistakeEvent[] = [];
  let unlabelled = 0;
  for (const event of mistakes) {
    yield;
    const isCounted = isWithin(event.at, window);
    if (isCounted) counted.push(event);
    const isInferred = event.errorTypes.length === 0;
    const errorTypes = isInferred ? (inferred.get(event.card.id) ?? []) : event.errorTypes;
    if (isCounted && errorTypes.length === 0) unlabelled += 1;
    const topics = event.card.topicTags.length === 0 ? [null] : event.card.topicTags;
    for (const errorType of errorTypes) {
      for (const topicTag of topics) {
        const key = JSON.stringify([errorType, topicTag]);
        const cell = cells.get(key) ?? { errorType, topicTag, events: [], times: [] };
        cells.set(key, cell);
        cell.times.push(event.at);
        if (isCounted) cell.events.push({ event, isInferred });
      }
    }
  }
  const worth: WorthWorkingOn[] = [];
  for (const cell of cells.values()) {
    yield;
    if (cell.events.length > 0) worth.push(yield* worthSteps(cell, model, window.to));
  }
  return {
    cells: worth.toSorted(byFrequency).slice(0, MAX_CELLS),
    // Three topics with one error are one thing to work on.
    mostWorth: distinctBy(
      worth.sort((a, b) => b.score - a.score || byFrequency(a, b)),
      ({ errorType }) => errorType,
    ).slice(0, MAX_WORTH),
    repeatOffences: yield* repeatOffenceSteps(counted, cards, log),
    unlabelled,
  };
}

function byFrequency(a: FingerprintCell, b: FingerprintCell): number {
  const count = (cell: FingerprintCell): number => cell.mistakes + cell.inferred;
  return count(b) - count(a) || b.lastAt.getTime() - a.lastAt.getTime() || (a.errorType < b.errorType ? -1 : 1);
}

/** Of a cell with events. A step looks at one of them: all may be of one error. */
function* worthSteps(
  { errorType, topicTag, events, times }: Counted,
  model: StudentModel,
  to: Date,
): Generator<void, WorthWorkingOn> {
  let [inferred, recency] = [0, 0];
  let lastAt = to;
  for (const { event, isInferred } of events) {
    yield;
    const days = Math.floor(Math.max(0, to.getTime() - event.at.getTime()) / DAY_MS);
    // What was inferred is right every other time.
    recency += (isInferred ? 0.5 : 1) * 0.5 ** (days / HALF_LIFE_DAYS);
    if (isInferred) inferred += 1;
    lastAt = event.at;
  }
  const cardIds = new Set<string>();
  for (let place = events.length - 1; place >= 0 && cardIds.size < MAX_EVIDENCE; place -= 1) {
    yield;
    cardIds.add((events[place] as Counted['events'][number]).event.card.id);
  }
  const successProbability =
    topicTag === null
      ? model.probabilityOf('errorTypes', errorType, to)
      : model.probabilityOf('topicTags', topicTag, to);
  const mistakes = events.length - inferred;
  const cell = { errorType, topicTag, mistakes, inferred, lastAt, trend: trendOf(times, to), cardIds: [...cardIds] };
  return { ...cell, successProbability, score: recency * (1 - successProbability) };
}

/**
 * Errors that came back after right answers to cards that have them: once for each time that there were such answers in
 * between.
 */
export function* repeatOffenceSteps(
  mistakes: readonly MistakeEvent[],
  cards: readonly LabelledCard[],
  log: readonly Attempt[],
): Generator<void, readonly RepeatOffence[]> {
  const byId = new Map(cards.map((card) => [card.id, card]));
  const times: (MistakeEvent & { readonly isRight: boolean })[] = [];
  for (const { at, card, errorTypes } of mistakes) {
    yield;
    times.push({ at, card, errorTypes, isRight: false });
  }
  for (const { cardId, at, correct } of log) {
    yield;
    const card = correct ? byId.get(cardId) : undefined;
    if (card !== undefined) times.push({ at, card, errorTypes: card.errorTypes, isRight: true });
  }
  // Both are in order already, and only merged.
  times.sort((a, b) => a.at.getTime() - b.at.getTime());
  const states = new Map<string, { wrongs: number; right: number; offence: RepeatOffence | null }>();
  for (const { at, card, errorTypes, isRight } of times) {
    yield;
    for (const errorType of errorTypes) {
      const state = states.get(errorType) ?? { wrongs: 0, right: 0, offence: null };
      states.set(errorType, state);
      if (isRight) {
        state.right += 1;
        continue;
      }
      if (state.wrongs > 0 && state.right > 0) {
        const before = state.offence?.times ?? 0;
        state.offence = { errorType, times: before + 1, lastAt: at, rightBetween: state.right, cardId: card.id };
      }
      state.wrongs += 1;
      state.right = 0;
    }
  }
  return [...states.values()]
    .flatMap(({ offence }) => offence ?? [])
    .sort((a, b) => b.times - a.times || b.lastAt.getTime() - a.lastAt.getTime())
    .slice(0, MAX_OFFENCES);
}
