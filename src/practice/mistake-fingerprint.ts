import { DAY_MS } from '../domain/local-day.js';
import type { Attempt, LabelledCard } from '../domain/practice.js';
import { sortedSteps } from '../domain/steps.js';
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

/**
 * Pairs of an error type and a topic tag that are counted, of the latest mistakes: a card may have 2,500, and those of
 * thousands of such cards would not fit into memory.
 */
const MAX_PAIRS = 100_000;

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
  /** Of the window and of the trend, which may begin earlier. */
  readonly events: MistakeEvent[];
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
  const errorTypesOf = ({ errorTypes, card }: MistakeEvent): readonly string[] =>
    errorTypes.length === 0 ? (inferred.get(card.id) ?? []) : errorTypes;
  const firstPaired = yield* firstPairedSteps(mistakes, errorTypesOf);
  for (const [place, event] of mistakes.entries()) {
    yield;
    const isCounted = isWithin(event.at, window);
    if (isCounted) counted.push(event);
    const errorTypes = errorTypesOf(event);
    if (isCounted && errorTypes.length === 0) unlabelled += 1;
    if (place < firstPaired) continue;
    const topics = event.card.topicTags.length === 0 ? [null] : event.card.topicTags;
    for (const errorType of errorTypes) {
      yield;
      for (const topicTag of topics) {
        const key = JSON.stringify([errorType, topicTag]);
        const cell = cells.get(key) ?? { errorType, topicTag, events: [] };
        cells.set(key, cell);
        cell.events.push(event);
      }
    }
  }
  let frequent: WorthWorkingOn[] = [];
  // Three topics with one error are one thing to work on.
  const bestOf = new Map<string, WorthWorkingOn>();
  for (const cell of cells.values()) {
    yield;
    const one = yield* worthSteps(cell, model, window);
    if (one === null) continue;
    frequent.push(one);
    if (frequent.length === 10 * MAX_CELLS) frequent = frequent.sort(byFrequency).slice(0, MAX_CELLS);
    const best = bestOf.get(one.errorType);
    if (best === undefined || byWorth(one, best) < 0) bestOf.set(one.errorType, one);
  }
  return {
    cells: frequent.sort(byFrequency).slice(0, MAX_CELLS),
    mostWorth: (yield* sortedSteps([...bestOf.values()], byWorth)).slice(0, MAX_WORTH),
    repeatOffences: yield* repeatOffenceSteps(counted, cards, log),
    unlabelled,
  };
}

/** The place of the first mistake whose pairs are counted. */
function* firstPairedSteps(
  mistakes: readonly MistakeEvent[],
  errorTypesOf: (event: MistakeEvent) => readonly string[],
): Generator<void, number> {
  let left = MAX_PAIRS;
  for (let place = mistakes.length - 1; place >= 0; place -= 1) {
    yield;
    const event = mistakes[place] as MistakeEvent;
    left -= errorTypesOf(event).length * Math.max(1, event.card.topicTags.length);
    if (left < 0) return place + 1;
  }
  return 0;
}

function byFrequency(a: FingerprintCell, b: FingerprintCell): number {
  const count = (cell: FingerprintCell): number => cell.mistakes + cell.inferred;
  return count(b) - count(a) || b.lastAt.getTime() - a.lastAt.getTime() || (a.errorType < b.errorType ? -1 : 1);
}

function byWorth(a: WorthWorkingOn, b: WorthWorkingOn): number {
  return b.score - a.score || byFrequency(a, b);
}

/** Null for a cell without events in the window. A step looks at one of them: all may be of one error. */
function* worthSteps(
  { errorType, topicTag, events }: Counted,
  model: StudentModel,
  window: Window,
): Generator<void, WorthWorkingOn | null> {
  const { to } = window;
  let [mistakes, inferred, recency] = [0, 0, 0];
  let lastAt = to;
  for (const { at, errorTypes } of events) {
    yield;
    if (!isWithin(at, window)) continue;
    const days = Math.floor(Math.max(0, to.getTime() - at.getTime()) / DAY_MS);
    const isInferred = errorTypes.length === 0;
    // What was inferred is right every other time.
    recency += (isInferred ? 0.5 : 1) * 0.5 ** (days / HALF_LIFE_DAYS);
    if (isInferred) inferred += 1;
    else mistakes += 1;
    lastAt = at;
  }
  if (mistakes + inferred === 0) return null;
  const cardIds = new Set<string>();
  for (let place = events.length - 1; place >= 0 && cardIds.size < MAX_EVIDENCE; place -= 1) {
    yield;
    const { at, card } = events[place] as MistakeEvent;
    if (isWithin(at, window)) cardIds.add(card.id);
  }
  const successProbability =
    topicTag === null
      ? model.probabilityOf('errorTypes', errorType, to)
      : model.probabilityOf('topicTags', topicTag, to);
  const times = events.map(({ at }) => at);
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
  const inOrder = yield* sortedSteps(times, (a, b) => a.at.getTime() - b.at.getTime());
  const states = new Map<string, { wrongs: number; right: number; offence: RepeatOffence | null }>();
  for (const { at, card, errorTypes, isRight } of inOrder) {
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
  const offences: RepeatOffence[] = [];
  for (const { offence } of states.values()) {
    yield;
    if (offence !== null) offences.push(offence);
  }
  const worstFirst = sortedSteps(offences, (a, b) => b.times - a.times || b.lastAt.getTime() - a.lastAt.getTime());
  return (yield* worstFirst).slice(0, MAX_OFFENCES);
}
