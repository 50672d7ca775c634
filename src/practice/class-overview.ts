import { groupedBy } from '../domain/grouped.js';
import type { LabelKind } from '../domain/labels.js';
import { DAY_MS } from '../domain/local-day.js';
import type { OwnedAttempt, RightAnswers } from '../domain/ports/practice.js';
import type { LabelledCard } from '../domain/practice.js';
import { isWithin, lengthened, type MistakeEvent, mistakesOf, type Window } from './mistakes.js';

export interface ClassLabel {
  readonly kind: LabelKind;
  readonly name: string;
  readonly students: number;
  readonly mistakes: number;
}

export interface ClassQuestion {
  /** One of the cards that ask it. */
  readonly cardId: string;
  readonly students: number;
  readonly mistakes: number;
}

export interface NeedsHelp {
  readonly ownerId: string;
  readonly topicTag: string;
  readonly mistakes: number;
  /** Attempts in the time, and the right ones among them. */
  readonly attempts: number;
  readonly right: number;
}

export interface ClassChange {
  readonly kind: LabelKind;
  readonly name: string;
  readonly thisWeek: number;
  readonly lastWeek: number;
}

export interface ClassOverview {
  /** Students with mistakes or attempts in the period. */
  readonly students: number;
  readonly errors: readonly ClassLabel[];
  readonly topics: readonly ClassLabel[];
  readonly questions: readonly ClassQuestion[];
  readonly needsHelp: readonly NeedsHelp[];
  readonly changes: readonly ClassChange[];
  /** Labels and questions that are omitted because they concern too few students. */
  readonly suppressed: number;
}

/** Entries of each list: what a lesson can be about. */
const MAX_LABELS = 20;
const MAX_QUESTIONS = 10;
const MAX_STUDENTS = 30;
/** Mistakes in a topic from which on a student needs help, unless most later answers are right. */
const MANY = 3;
const WEEK_MS = 7 * DAY_MS;

/** The window, with all of the two weeks that changes compare. */
export function withChanges(window: Window): Window {
  return lengthened(window, 14);
}

export interface ClassFacts {
  readonly cards: readonly LabelledCard[];
  /** Wrong attempts of the window, and of the two weeks that changes compare ({@link withChanges}). */
  readonly wrong: readonly OwnedAttempt[];
  /** The time from which on wrong attempts are known, if there are too many to read them all; null: from the first. */
  readonly wrongFrom: Date | null;
  /** Of the window, from `wrongFrom` on. */
  readonly right: readonly RightAnswers[];
  readonly window: Window;
  /** Labels and questions that concern fewer students are suppressed. */
  readonly minStudents: number;
}

interface StudentMistake extends MistakeEvent {
  readonly ownerId: string;
}

export function classOverviewOf(facts: ClassFacts): ClassOverview {
  const { cards, wrong, wrongFrom, right, window, minStudents } = facts;
  const all = mistakesByStudent(cards, wrong, withChanges(window));
  const mistakes = all.filter(({ at }) => isWithin(at, window));
  const attempts = wrong.filter(({ at }) => isWithin(at, window));
  const errors = countLabels(mistakes, 'errorTypes');
  const topics = countLabels(mistakes, 'topicTags');
  const questions = countQuestions(mistakes);
  const isTold = ({ students }: { readonly students: number }): boolean => students >= minStudents;
  const isKnown = ({ at }: { readonly at: Date }): boolean => wrongFrom === null || at >= wrongFrom;
  const coversChanges = wrongFrom === null || window.to.getTime() - wrongFrom.getTime() >= 2 * WEEK_MS;
  const compared = [...countLabels(all, 'errorTypes'), ...countLabels(all, 'topicTags')];
  const labels = new Set(compared.filter(isTold).map(({ kind, name }) => `${kind} ${name}`));
  return {
    students: new Set([...mistakes, ...attempts, ...right].map(({ ownerId }) => ownerId)).size,
    errors: errors.filter(isTold).slice(0, MAX_LABELS),
    topics: topics.filter(isTold).slice(0, MAX_LABELS),
    questions: questions.filter(isTold).slice(0, MAX_QUESTIONS),
    // Mistakes and right answers of the same time.
    needsHelp: needsHelp(mistakes.filter(isKnown), cards, [
      ...attempts.filter(isKnown).map(({ ownerId, cardId }) => ({ ownerId, cardId, attempts: 1, right: 0 })),
      ...right.map(({ ownerId, cardId, count }) => ({ ownerId, cardId, attempts: count, right: count })),
    ]).slice(0, MAX_STUDENTS),
    changes: (coversChanges ? changesOf(all, window.to) : [])
      .filter(({ kind, name }) => labels.has(`${kind} ${name}`))
      .slice(0, MAX_LABELS),
    suppressed: [...errors, ...topics, ...questions].filter((one) => !isTold(one)).length,
  };
}

/** A mistake on a card is its owner's, a wrong attempt whoever made it. */
function mistakesByStudent(
  cards: readonly LabelledCard[],
  log: readonly OwnedAttempt[],
  window: Window,
): readonly StudentMistake[] {
  const owners = new Set([...cards.map(({ ownerId }) => ownerId), ...log.map(({ ownerId }) => ownerId)]);
  return [...owners].flatMap((ownerId) => {
    const own = log.filter((attempt) => attempt.ownerId === ownerId);
    const attempted = new Set(own.map(({ cardId }) => cardId));
    const known = cards
      .filter((card) => card.ownerId === ownerId || attempted.has(card.id))
      .map((card) => (card.ownerId === ownerId ? card : { ...card, mistakes: [] }));
    return mistakesOf(known, own, window).map((event) => ({ ...event, ownerId }));
  });
}

function labelsOf({ card, errorTypes }: MistakeEvent, kind: LabelKind): readonly string[] {
  return kind === 'errorTypes' ? errorTypes : card.topicTags;
}

/** Most students first. */
function countLabels(mistakes: readonly StudentMistake[], kind: LabelKind): readonly ClassLabel[] {
  const labelled = mistakes.flatMap((mistake) => labelsOf(mistake, kind).map((name) => ({ ...mistake, name })));
  return [...groupedBy(labelled, ({ name }) => name)]
    .map(([name, own]) => ({ kind, name, ...sizeOf(own) }))
    .sort((a, b) => bySize(a, b) || (a.name < b.name ? -1 : 1));
}

function countQuestions(mistakes: readonly StudentMistake[]): readonly ClassQuestion[] {
  return [...groupedBy(mistakes, ({ card }) => card.questionKey ?? card.id).values()]
    .map((own) => ({ cardId: own[0].card.id, ...sizeOf(own) }))
    .sort((a, b) => bySize(a, b) || (a.cardId < b.cardId ? -1 : 1));
}

type Size = Pick<ClassLabel, 'students' | 'mistakes'>;

function sizeOf(mistakes: readonly Pick<StudentMistake, 'ownerId'>[]): Size {
  return { students: new Set(mistakes.map(({ ownerId }) => ownerId)).size, mistakes: mistakes.length };
}

function bySize(a: Size, b: Size): number {
  return b.students - a.students || b.mistakes - a.mistakes;
}

/** How often a student attempted a card, and the right ones among them. */
type Answers = Pick<NeedsHelp, 'attempts' | 'right'> & Pick<RightAnswers, 'ownerId' | 'cardId'>;

/** Students with many mistakes in a topic, without those who mostly get it right by now; most mistakes first. */
function needsHelp(
  mistakes: readonly StudentMistake[],
  cards: readonly LabelledCard[],
  answers: readonly Answers[],
): readonly NeedsHelp[] {
  const topicsOf = new Map(cards.map(({ id, topicTags }) => [id, topicTags]));
  const found = new Map<string, { -readonly [Key in keyof NeedsHelp]: NeedsHelp[Key] }>();
  const of = (ownerId: string, topicTag: string) => {
    const key = JSON.stringify([ownerId, topicTag]);
    const known = found.get(key) ?? { ownerId, topicTag, mistakes: 0, attempts: 0, right: 0 };
    found.set(key, known);
    return known;
  };
  for (const { ownerId, card } of mistakes) for (const topic of card.topicTags) of(ownerId, topic).mistakes += 1;
  for (const { ownerId, cardId, attempts, right } of answers) {
    for (const topic of topicsOf.get(cardId) ?? []) {
      const known = of(ownerId, topic);
      known.attempts += attempts;
      known.right += right;
    }
  }
  return [...found.values()]
    .filter((one) => one.mistakes >= MANY && one.right < one.mistakes)
    .sort((a, b) => b.mistakes - b.right - (a.mistakes - a.right) || (a.ownerId < b.ownerId ? -1 : 1));
}

/** The largest changes first; none for a label that did not change. */
function changesOf(mistakes: readonly StudentMistake[], to: Date): readonly ClassChange[] {
  const weeks = ({ at }: MistakeEvent): number => (to.getTime() - at.getTime()) / WEEK_MS;
  const labelled = mistakes
    .filter((mistake) => weeks(mistake) <= 2)
    .flatMap((mistake) =>
      (['errorTypes', 'topicTags'] as const).flatMap((kind) =>
        labelsOf(mistake, kind).map((name) => ({ kind, name, weeks: weeks(mistake) })),
      ),
    );
  const changes = [...groupedBy(labelled, ({ kind, name }) => `${kind} ${name}`).values()].map((own): ClassChange => {
    const { kind, name } = own[0];
    const thisWeek = own.filter((one) => one.weeks <= 1).length;
    return { kind, name, thisWeek, lastWeek: own.length - thisWeek };
  });
  const size = ({ thisWeek, lastWeek }: ClassChange): number => Math.abs(thisWeek - lastWeek);
  return changes.filter((one) => size(one) > 0).sort((a, b) => size(b) - size(a) || (a.name < b.name ? -1 : 1));
}
