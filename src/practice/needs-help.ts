import type { OwnedAttempt, RightAnswers } from '../domain/ports/practice.js';
import type { LabelledCard } from '../domain/practice.js';
import { sortedSteps } from '../domain/steps.js';
import type { StudentMistake } from './mistakes.js';

export interface NeedsHelp {
  readonly ownerId: string;
  readonly topicTag: string;
  readonly mistakes: number;
  /** Attempts in the time, and the right ones among them. */
  readonly attempts: number;
  readonly right: number;
}

/** Mistakes in a topic from which on a student needs help, unless most later answers are right. */
const MANY = 3;

/** How often a student attempted a card, and the right ones among them. */
type Answers = Pick<NeedsHelp, 'attempts' | 'right'> & Pick<RightAnswers, 'ownerId' | 'cardId'>;

export function* answersOf(wrong: readonly OwnedAttempt[], right: readonly RightAnswers[]): Generator<Answers> {
  for (const { ownerId, cardId } of wrong) yield { ownerId, cardId, attempts: 1, right: 0 };
  for (const { ownerId, cardId, count } of right) yield { ownerId, cardId, attempts: count, right: count };
}

/** Students with many mistakes in a topic, without those who mostly get it right by now; most mistakes first. */
export function* needsHelp(
  mistakes: readonly StudentMistake[],
  cards: readonly LabelledCard[],
  answers: Iterable<Answers>,
): Generator<void, readonly NeedsHelp[]> {
  const topicsOf = new Map(cards.map(({ id, topicTags }) => [id, topicTags]));
  const found = new Map<string, { -readonly [Key in keyof NeedsHelp]: NeedsHelp[Key] }>();
  const of = (ownerId: string, topicTag: string) => {
    const key = JSON.stringify([ownerId, topicTag]);
    const known = found.get(key) ?? { ownerId, topicTag, mistakes: 0, attempts: 0, right: 0 };
    found.set(key, known);
    return known;
  };
  for (const { ownerId, card } of mistakes) {
    yield;
    for (const topic of card.topicTags) of(ownerId, topic).mistakes += 1;
  }
  for (const { ownerId, cardId, attempts, right } of answers) {
    yield;
    for (const topic of topicsOf.get(cardId) ?? []) {
      const known = of(ownerId, topic);
      known.attempts += attempts;
      known.right += right;
    }
  }
  const needing: NeedsHelp[] = [];
  for (const one of found.values()) {
    yield;
    if (one.mistakes >= MANY && one.right < one.mistakes) needing.push(one);
  }
  const left = ({ mistakes: wrong, right }: NeedsHelp): number => wrong - right;
  return yield* sortedSteps(needing, (a, b) => left(b) - left(a) || (a.ownerId < b.ownerId ? -1 : 1));
}
