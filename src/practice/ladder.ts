import { type Card, questionOf } from '../domain/card.js';
import type { CanonicalQuestion } from '../domain/duplicates.js';
import type { Perspective } from '../domain/perspective.js';
import type { Verdict } from '../domain/search-result.js';
import { atOnce } from '../domain/steps.js';
import { canonicalQuestion } from '../text/canonical-question.js';
import { DUPLICATE_THRESHOLD, nearnessOf } from '../text/duplicate-questions.js';

/** The verdicts of cards that train a mistake, the closest first. */
export const TRAINING = ['SAME_QUESTION_NEW_SKIN', 'SAME_TRAP', 'SAME_IDEA'] as const satisfies readonly Verdict[];
export type TrainingVerdict = (typeof TRAINING)[number];

export interface Candidate {
  readonly card: Card;
  readonly verdict: TrainingVerdict;
  /** In which it is like the mistake. */
  readonly perspective: Perspective;
  /** That the student solves it. */
  readonly probability: number;
}

export interface Rung extends Candidate {
  /** Whether it trains the same idea with an easier question, because its foundations look weak. */
  readonly isLevelDown: boolean;
}

export interface LadderOptions {
  readonly first: number;
  /** The difficulty of the mistake, or the usual one of its topic. */
  readonly difficulty: number;
  /** Whether the foundations look weak: then easier questions about the same idea come first. */
  readonly isWeak: boolean;
}

/**
 * The first rung is solved by three of four (Wilson et al. 2019: learning is fastest at 85 % for machines, at 70-80 %
 * in class).
 */
export const FIRST_RUNG = { low: 0.75, high: 0.8 } as const;

/** Target success probability of the last rung. */
const LAST_RUNG = 0.5;

/** Penalty of a candidate, in probability, for the same verdict as the rung before it: interleaving. */
const REPETITION = 0.05;
/** Bonus of an easier candidate, in probability, where that is wanted. */
const LEVEL_DOWN = 0.15;

/**
 * Chooses rungs by their success, from easy to hard, no two of one question. `candidates` have different cards. Pure.
 */
export function* ladderSteps(
  candidates: readonly Candidate[],
  isDuplicate: DuplicateSteps,
  { first, difficulty, isWeak }: LadderOptions,
): Generator<void, readonly Rung[]> {
  const isDown = ({ verdict, card }: Candidate): boolean =>
    isWeak && verdict === 'SAME_IDEA' && card.difficulty < difficulty;
  const left = new Set(candidates);
  const rungs: Candidate[] = [];
  while (rungs.length < first) {
    const target = targetOf(rungs.length, first);
    const last = rungs.at(-1);
    const costOf = (candidate: Candidate): number =>
      Math.abs(candidate.probability - target) +
      (candidate.verdict === last?.verdict ? REPETITION : 0) -
      (isDown(candidate) && rungs.length < first / 2 ? LEVEL_DOWN : 0);
    const best = leastBy(left, costOf);
    if (best === undefined) break;
    left.delete(best);
    const asked = rungs.map(({ card }) => card);
    if (!(yield* isDuplicateOfAny(asked, best.card, isDuplicate))) rungs.push(best);
  }
  return rungs
    .sort((a, b) => b.probability - a.probability || (a.card.id < b.card.id ? -1 : 1))
    .map((rung) => ({ ...rung, isLevelDown: isDown(rung) }));
}

/** From the middle of the first rung down to the last one. */
function targetOf(place: number, first: number): number {
  const start = (FIRST_RUNG.low + FIRST_RUNG.high) / 2;
  return first === 1 ? start : start - ((start - LAST_RUNG) * place) / (first - 1);
}

/** Equal ones: the one with the least id. */
function leastBy(candidates: ReadonlySet<Candidate>, costOf: (candidate: Candidate) => number): Candidate | undefined {
  let best: { readonly candidate: Candidate; readonly cost: number } | undefined;
  for (const candidate of candidates) {
    const cost = costOf(candidate);
    const isBetter =
      best === undefined || cost < best.cost || (cost === best.cost && candidate.card.id < best.candidate.card.id);
    if (isBetter) best = { candidate, cost };
  }
  return best?.candidate;
}

/** The fields of a card that tell whether it asks the question of another one. */
export type AskingCard = Pick<Card, 'id' | 'questionText' | 'choices'>;

/** Whether two cards ask one question. A step reads one question: 16 kB of formulas take 80 ms. */
export type DuplicateSteps = (a: AskingCard, b: AskingCard) => Generator<void, boolean>;

/** It reads each question once. */
export function duplicateSteps(): DuplicateSteps {
  const known = new Map<string, CanonicalQuestion>();
  function* canonical(card: AskingCard): Generator<void, CanonicalQuestion> {
    const question = questionOf(card);
    const read = known.get(question);
    if (read !== undefined) return read;
    yield;
    const canonical = canonicalQuestion(question);
    known.set(question, canonical);
    return canonical;
  }
  return function* (a, b) {
    yield;
    if (a.id === b.id || questionOf(a) === questionOf(b)) return true;
    const [one, other] = [yield* canonical(a), yield* canonical(b)];
    return nearnessOf(one, other) >= DUPLICATE_THRESHOLD;
  };
}

/** Like {@link duplicateSteps}, all steps at once. */
export function duplicateDetector(): (a: AskingCard, b: AskingCard) => boolean {
  const isDuplicate = duplicateSteps();
  return (a, b) => atOnce(isDuplicate(a, b));
}

/** The first ones, at most `limit`, that ask none of the questions of these cards. */
export function* othersThan<T extends { readonly card: AskingCard }>(
  cards: readonly AskingCard[],
  found: readonly T[],
  isDuplicate: DuplicateSteps,
  limit = found.length,
): Generator<void, readonly T[]> {
  const others: T[] = [];
  for (const one of found) {
    if (others.length === limit) break;
    if (!(yield* isDuplicateOfAny(cards, one.card, isDuplicate))) others.push(one);
  }
  return others;
}

function* isDuplicateOfAny(
  cards: readonly AskingCard[],
  card: AskingCard,
  isDuplicate: DuplicateSteps,
): Generator<void, boolean> {
  for (const other of cards) if (yield* isDuplicate(other, card)) return true;
  return false;
}
