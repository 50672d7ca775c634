import { groupedBy } from '../domain/grouped.js';
import { LABEL_KINDS, type LabelKind } from '../domain/labels.js';
import { DAY_MS } from '../domain/local-day.js';
import type { OwnedAttempt, RightAnswers } from '../domain/ports/practice.js';
import type { LabelledCard } from '../domain/practice.js';
import { sortedSteps } from '../domain/steps.js';
import { isWithin, lengthened, type MistakeEvent, mistakeSteps, type StudentMistake, type Window } from './mistakes.js';
import { answersOf, type NeedsHelp, needsHelp } from './needs-help.js';

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

export function* classOverviewSteps(facts: ClassFacts): Generator<void, ClassOverview> {
  const { cards, wrong, wrongFrom, right, window, minStudents } = facts;
  const all = yield* mistakesByStudent(cards, wrong, withChanges(window));
  const isOfPeriod = ({ at }: { readonly at: Date }): boolean => isWithin(at, window);
  const mistakes = yield* filtered(all, isOfPeriod);
  const attempts = yield* filtered(wrong, isOfPeriod);
  const isTold = ({ students }: { readonly students: number }): boolean => students >= minStudents;
  const errors = yield* toldInOrder(yield* countLabels(mistakes, 'errorTypes'), isTold, byLabel);
  const topics = yield* toldInOrder(yield* countLabels(mistakes, 'topicTags'), isTold, byLabel);
  const questions = yield* toldInOrder(yield* countQuestions(mistakes), isTold, byQuestion);
  const isKnown = ({ at }: { readonly at: Date }): boolean => wrongFrom === null || at >= wrongFrom;
  const coversChanges = wrongFrom === null || window.to.getTime() - wrongFrom.getTime() >= 2 * WEEK_MS;
  const labels = new Set<string>();
  for (const kind of LABEL_KINDS) {
    for (const { name } of yield* filtered(yield* countLabels(all, kind), isTold)) labels.add(`${kind} ${name}`);
  }
  const changes = coversChanges ? yield* changesOf(all, window.to, labels) : [];
  // Mistakes and right answers of the same time.
  const answers = answersOf(yield* filtered(attempts, isKnown), right);
  const needing = yield* needsHelp(yield* filtered(mistakes, isKnown), cards, answers);
  return {
    students: yield* countStudents([mistakes, attempts, right]),
    errors: errors.told.slice(0, MAX_LABELS),
    topics: topics.told.slice(0, MAX_LABELS),
    questions: questions.told.slice(0, MAX_QUESTIONS),
    needsHelp: needing.slice(0, MAX_STUDENTS),
    changes: changes.slice(0, MAX_LABELS),
    suppressed: [errors, topics, questions].reduce((sum, { suppressed }) => sum + suppressed, 0),
  };
}

/** Those that are told, in order, and how many others there are: tens of thousands, where labels are sentences. */
function* toldInOrder<T>(
  items: readonly T[],
  isTold: (item: T) => boolean,
  compare: (a: T, b: T) => number,
): Generator<void, { readonly told: readonly T[]; readonly suppressed: number }> {
  const told = yield* sortedSteps(yield* filtered(items, isTold), compare);
  return { told, suppressed: items.length - told.length };
}

function* filtered<T>(items: readonly T[], isKept: (item: T) => boolean): Generator<void, readonly T[]> {
  const kept: T[] = [];
  for (const item of items) {
    yield;
    if (isKept(item)) kept.push(item);
  }
  return kept;
}

/** A mistake on a card is its owner's, a wrong attempt whoever made it. */
function* mistakesByStudent(
  cards: readonly LabelledCard[],
  log: readonly OwnedAttempt[],
  window: Window,
): Generator<void, readonly StudentMistake[]> {
  const byId = new Map(cards.map((card) => [card.id, card]));
  yield;
  const cardsOf = groupedBy(cards, ({ ownerId }) => ownerId);
  yield;
  const logOf = groupedBy(log, ({ ownerId }) => ownerId);
  const mistakes: StudentMistake[] = [];
  for (const ownerId of new Set([...cardsOf.keys(), ...logOf.keys()])) {
    const own = logOf.get(ownerId) ?? [];
    const others = [...new Set(own.map(({ cardId }) => cardId))].flatMap((id) => {
      const card = byId.get(id);
      return card === undefined || card.ownerId === ownerId ? [] : [{ ...card, mistakes: [] }];
    });
    const events = yield* mistakeSteps([...(cardsOf.get(ownerId) ?? []), ...others], own, window);
    for (const { card, at, errorTypes } of events) {
      yield;
      mistakes.push({ ownerId, card, at, errorTypes });
    }
  }
  return mistakes;
}

function labelsOf({ card, errorTypes }: MistakeEvent, kind: LabelKind): readonly string[] {
  return kind === 'errorTypes' ? errorTypes : card.topicTags;
}

function* countLabels(mistakes: readonly StudentMistake[], kind: LabelKind): Generator<void, readonly ClassLabel[]> {
  const labels: ClassLabel[] = [];
  for (const [name, { students, mistakes: count }] of yield* countBy(mistakes, (one) => labelsOf(one, kind))) {
    yield;
    labels.push({ kind, name, students: students.size, mistakes: count });
  }
  return labels;
}

function* countQuestions(mistakes: readonly StudentMistake[]): Generator<void, readonly ClassQuestion[]> {
  const questions: ClassQuestion[] = [];
  for (const [, count] of yield* countBy(mistakes, ({ card }) => [card.questionKey ?? card.id])) {
    yield;
    questions.push({ cardId: count.cardId, students: count.students.size, mistakes: count.mistakes });
  }
  return questions;
}

function byLabel(a: ClassLabel, b: ClassLabel): number {
  return bySize(a, b) || (a.name < b.name ? -1 : 1);
}

function byQuestion(a: ClassQuestion, b: ClassQuestion): number {
  return bySize(a, b) || (a.cardId < b.cardId ? -1 : 1);
}

interface Count {
  /** The card of the first mistake. */
  readonly cardId: string;
  readonly students: Set<string>;
  mistakes: number;
}

function* countBy(
  mistakes: readonly StudentMistake[],
  keysOf: (mistake: StudentMistake) => readonly string[],
): Generator<void, ReadonlyMap<string, Count>> {
  const counts = new Map<string, Count>();
  for (const mistake of mistakes) {
    yield;
    for (const key of keysOf(mistake)) {
      const count = counts.get(key) ?? { cardId: mistake.card.id, students: new Set(), mistakes: 0 };
      counts.set(key, count);
      count.students.add(mistake.ownerId);
      count.mistakes += 1;
    }
  }
  return counts;
}

function* countStudents(lists: readonly (readonly { readonly ownerId: string }[])[]): Generator<void, number> {
  const students = new Set<string>();
  for (const list of lists) {
    for (const { ownerId } of list) {
      yield;
      students.add(ownerId);
    }
  }
  return students.size;
}

/** Most students first. */
function bySize(a: Pick<ClassLabel, 'students' | 'mistakes'>, b: typeof a): number {
  return b.students - a.students || b.mistakes - a.mistakes;
}

/** Of these labels, by kind and name, the largest changes first; none for a label that did not change. */
function* changesOf(
  mistakes: readonly StudentMistake[],
  to: Date,
  labels: ReadonlySet<string>,
): Generator<void, readonly ClassChange[]> {
  const changes = new Map<string, { -readonly [Key in keyof ClassChange]: ClassChange[Key] }>();
  for (const mistake of mistakes) {
    yield;
    const weeks = (to.getTime() - mistake.at.getTime()) / WEEK_MS;
    if (weeks > 2) continue;
    for (const kind of ['errorTypes', 'topicTags'] as const) {
      for (const name of labelsOf(mistake, kind)) {
        const key = `${kind} ${name}`;
        if (!labels.has(key)) continue;
        const change = changes.get(key) ?? { kind, name, thisWeek: 0, lastWeek: 0 };
        changes.set(key, change);
        change[weeks <= 1 ? 'thisWeek' : 'lastWeek'] += 1;
      }
    }
  }
  const size = ({ thisWeek, lastWeek }: ClassChange): number => Math.abs(thisWeek - lastWeek);
  const changed = yield* filtered([...changes.values()], (one) => size(one) > 0);
  return yield* sortedSteps(changed, (a, b) => size(b) - size(a) || (a.name < b.name ? -1 : 1));
}
