import { LABEL_KINDS, type LabelKind } from '../domain/labels.js';
import type { AttemptStore, OverviewStore } from '../domain/ports/practice.js';
import type { Attempt, LabelledCard } from '../domain/practice.js';
import { inSteps } from '../domain/steps.js';
import type { Viewer } from '../domain/viewer.js';
import { gaussianOf } from './card-difficulty.js';
import { sigmoid, Z_95 } from './mastery/gaussian.js';
import type { Question } from './mastery/rating.js';
import { Tracer } from './mastery/tracer.js';
import { DEFAULT_WEIGHTS } from './mastery/weights.js';

/** Attempts that a model is made of: those before them say little of what a student can do now. */
export const MAX_LOG = 5_000;

export type ModelledCard = Pick<LabelledCard, 'id' | 'difficulty' | 'topicTags' | 'errorTypes'>;

/** The probability of solving a card of no special difficulty, 0 .. 1, with its 95 % interval. */
export interface Ability {
  readonly ability: number;
  readonly low: number;
  readonly high: number;
}

/** A label, and what a student has done about it. */
export interface LabelRecord {
  readonly kind: LabelKind;
  readonly name: string;
  readonly attempts: number;
  readonly right: number;
  readonly lastAt: Date;
}

/**
 * What one student can do, after all attempts. Difficulties come from the cards' grades, and from the attempts at cards
 * with the same labels.
 */
export class StudentModel {
  readonly #tracer = new Tracer(DEFAULT_WEIGHTS);
  readonly #labels = new Map<string, LabelRecord>();

  private constructor(
    readonly log: readonly Attempt[],
    readonly cards: ReadonlyMap<string, LabelledCard>,
  ) {}

  /** Each attempt is a step. */
  static *steps(log: readonly Attempt[], cards: ReadonlyMap<string, LabelledCard>): Generator<void, StudentModel> {
    const model = new StudentModel(log, cards);
    for (const attempt of log) {
      yield;
      const card = cards.get(attempt.cardId);
      if (card === undefined) continue;
      model.#tracer.update({ ...model.#question(card, attempt.at), correct: attempt.correct });
      for (const kind of LABEL_KINDS) for (const name of card[kind]) model.#count(kind, name, attempt);
    }
    return model;
  }

  probability(card: ModelledCard, at: Date): number {
    return this.#tracer.probability(this.#question(card, at));
  }

  /**
   * The probability that the student solves a card of medium difficulty that has this label alone and was never seen.
   */
  probabilityOf(kind: LabelKind, name: string, at: Date): number {
    const skills = [keyOf(kind, name)];
    return this.#tracer.probability({ student: STUDENT, item: NO_CARD, skills, atMs: at.getTime() });
  }

  /** The ability in a label; null without an attempt. */
  ability(kind: LabelKind, name: string): Ability | null {
    const key = keyOf(kind, name);
    const own = this.#tracer.rating.ability(STUDENT, key);
    if (own === null) return null;
    const easiness = this.#tracer.rating.easiness(key);
    const mean = own.mean + easiness.mean;
    const margin = Z_95 * Math.sqrt(own.variance + easiness.variance);
    return { ability: sigmoid(mean), low: sigmoid(mean - margin), high: sigmoid(mean + margin) };
  }

  labels(): readonly LabelRecord[] {
    return [...this.#labels.values()];
  }

  #count(kind: LabelKind, name: string, { at, correct }: Attempt): void {
    const key = keyOf(kind, name);
    const { attempts, right, lastAt } = this.#labels.get(key) ?? { attempts: 0, right: 0, lastAt: at };
    const last = at > lastAt ? at : lastAt;
    this.#labels.set(key, { kind, name, attempts: attempts + 1, right: right + Number(correct), lastAt: last });
  }

  #question(card: ModelledCard, at: Date): Question {
    this.#tracer.rating.expectItem(card.id, gaussianOf(card.difficulty));
    const skills = LABEL_KINDS.flatMap((kind) => card[kind].map((name) => keyOf(kind, name)));
    return { student: STUDENT, item: card.id, skills, atMs: at.getTime() };
  }
}

/** A model is of one student. */
const STUDENT = 'student';
/** The item of a card that was never seen: no card has this id. */
const NO_CARD = ' ';

function keyOf(kind: LabelKind, name: string): string {
  return `${kind} ${name}`;
}

export interface StudentModelParts {
  readonly attempts: Pick<AttemptStore, 'log'>;
  readonly overviews: Pick<OverviewStore, 'cards'>;
}

/** The model of a student from the log; of an owner whom the viewer may not see, a model without attempts. */
export async function modelOf(
  { attempts, overviews }: StudentModelParts,
  viewer: Viewer,
  ownerId: string,
  before: Date | null,
  signal: AbortSignal,
): Promise<StudentModel> {
  const log = await attempts.log(viewer, { ownerIds: [ownerId] }, { before, limit: MAX_LOG }, signal);
  const cardIds = [...new Set(log.map(({ cardId }) => cardId))];
  const cards = cardIds.length === 0 ? [] : await overviews.cards(viewer, { cardIds }, cardIds.length, signal);
  return inSteps(StudentModel.steps(log, new Map(cards.map((card) => [card.id, card]))), undefined, signal);
}
