import { type Card, questionOf } from '../domain/card.js';
import { NotFoundError } from '../domain/errors.js';
import type { CardStore } from '../domain/ports/cards.js';
import type { AttemptStore, OverviewStore } from '../domain/ports/practice.js';
import { inSteps } from '../domain/steps.js';
import type { Viewer } from '../domain/viewer.js';
import { nullIfEmpty } from '../search/empty-query.js';
import type { TagSuggester } from '../search/suggest.js';
import { type ClassOverview, type ClassQuestion, classOverviewSteps, withChanges } from './class-overview.js';
import {
  type Fingerprint,
  type FingerprintCell,
  fingerprintSteps,
  type RepeatOffence,
  type WorthWorkingOn,
} from './mistake-fingerprint.js';
import { type MistakeEvent, mistakeSteps, type Window, withTrend } from './mistakes.js';
import { MAX_LOG, modelOf, type StudentModel } from './student-model.js';

/** Cards and wrong attempts of one overview, the newest: docs/practice.md. */
const MAX_CARDS = 20_000;
const MAX_ATTEMPTS = 50_000;

/** Cards whose errors are inferred, of the latest mistakes: each is a search in the index of the viewer. */
const MAX_INFERRED = 20;

/** At least half of what the text says is what the cards with the label say. */
const MIN_SCORE = 0.5;

/** Characters of a text by which labels are inferred. */
const MAX_CHARS = 2_000;

export interface OverviewServiceParts {
  readonly attempts: Pick<AttemptStore, 'log' | 'rightAnswers'>;
  readonly overviews: Pick<OverviewStore, 'cards' | 'group'>;
  readonly cards: Pick<CardStore, 'byIds'>;
  readonly suggester: Pick<TagSuggester, 'suggest'>;
  /** Labels and questions of fewer students are omitted from class overviews. */
  readonly minStudents: number;
}

/** Instead of the ids of cards, the cards; those that are gone are missing. */
type WithCards<T extends { readonly cardIds: readonly string[] }> = Omit<T, 'cardIds'> & {
  readonly cards: readonly Card[];
};
type WithCard<T extends { readonly cardId: string }> = Omit<T, 'cardId'> & { readonly card: Card };

export interface MistakeFingerprint {
  readonly cells: readonly WithCards<FingerprintCell>[];
  readonly mostWorth: readonly WithCards<WorthWorkingOn>[];
  readonly repeatOffences: readonly WithCard<RepeatOffence>[];
  readonly unlabelled: number;
}

export interface ClassReport extends Omit<ClassOverview, 'questions'> {
  readonly questions: readonly WithCard<ClassQuestion>[];
  /** Labels and questions of fewer students are omitted. */
  readonly minStudents: number;
}

/** What is known of a student before earlier mistakes are read. */
interface Known {
  readonly student: string;
  readonly model: StudentModel;
  readonly ids: ReadonlySet<string>;
  /** Earlier mistakes do not count. */
  readonly after: Date | null;
}

export interface ClassQuery {
  /** A group or its owners. */
  readonly group: string | null;
  readonly owners: readonly string[] | null;
  readonly window: Window;
}

export class OverviewService {
  constructor(private readonly parts: OverviewServiceParts) {}

  /** That of the viewer, or of a student whom the viewer may see; others have made no mistakes. */
  async fingerprint(
    viewer: Viewer,
    ownerId: string | null,
    window: Window,
    signal: AbortSignal,
  ): Promise<MistakeFingerprint> {
    const student = ownerId ?? viewer.ownerId;
    const { overviews } = this.parts;
    const [own, model] = await Promise.all([
      overviews.cards(viewer, { ownerIds: [student] }, MAX_CARDS, signal),
      modelOf(this.parts, viewer, student, window.to, signal),
    ]);
    const ids = new Set(own.map(({ id }) => id));
    const known = { student, model, ids, after: withTrend(window).from };
    const earlier = await this.#earlierMistakes(viewer, known, signal);
    const others = [...model.cards.values(), ...earlier.cards].filter(({ id }) => !ids.has(id));
    const cards = [...own, ...others.map((card) => (card.ownerId === student ? card : { ...card, mistakes: [] }))];
    const log = [...earlier.log, ...model.log];
    const mistakes = await inSteps(mistakeSteps(cards, log, withTrend(window)), undefined, signal);
    const inferred = await this.#inferred(viewer, mistakes, signal);
    const steps = fingerprintSteps({ cards, log, mistakes, inferred, model, window });
    const fingerprint = await inSteps(steps, undefined, signal);
    return this.#withCards(viewer, fingerprint, signal);
  }

  /** NotFoundError for a group that there is not. */
  async classOverview(
    viewer: Viewer,
    { group, owners, window }: ClassQuery,
    signal: AbortSignal,
  ): Promise<ClassReport> {
    const { attempts, overviews, minStudents } = this.parts;
    const named = group === null ? null : await overviews.group(viewer, group);
    if (group !== null && named === null) throw new NotFoundError('group', group, 'name');
    const ownerIds = [...new Set(named?.owners ?? owners ?? [])];
    const { from: after, to: before } = withChanges(window);
    const range = { after, before, correct: false, limit: MAX_ATTEMPTS };
    const [cards, wrong] = await Promise.all([
      overviews.cards(viewer, { ownerIds }, MAX_CARDS, signal),
      attempts.log(viewer, { ownerIds }, range, signal),
    ]);
    // Of as many attempts as are read, earlier ones may be missing: right answers count from the first of these on.
    const wrongFrom = wrong.length < MAX_ATTEMPTS ? null : (wrong[0]?.at ?? null);
    const { from, to } = window;
    const rightFrom = wrongFrom !== null && (from === null || wrongFrom > from) ? wrongFrom : from;
    const right = await attempts.rightAnswers(viewer, ownerIds, { after: rightFrom, before: to }, signal);
    // Such as of an examination with the teacher's cards.
    const own = new Set(cards.map(({ id }) => id));
    const cardIds = [...new Set([...wrong, ...right].map(({ cardId }) => cardId))].filter((id) => !own.has(id));
    const attempted = cardIds.length === 0 ? [] : await overviews.cards(viewer, { cardIds }, MAX_CARDS, signal);
    const others = attempted.map((card) => ({ ...card, mistakes: [] }));
    const { questions, ...overview } = await inSteps(
      classOverviewSteps({ cards: [...cards, ...others], ...{ wrong, wrongFrom, right }, window, minStudents }),
      undefined,
      signal,
    );
    const found = await this.parts.cards.byIds(
      viewer,
      questions.map(({ cardId }) => cardId),
      signal,
    );
    return { ...overview, minStudents, questions: questions.flatMap((one) => withCard(one, found)) };
  }

  /** The wrong attempts that a model with as many as it can have lacks, and their cards that are not known. */
  async #earlierMistakes(viewer: Viewer, { student, model, ids, after }: Known, signal: AbortSignal) {
    const { attempts, overviews } = this.parts;
    const oldest = model.log[0]?.at;
    if (oldest === undefined || model.log.length < MAX_LOG) return { log: [], cards: [] };
    // The model may have only some of the attempts at the time of its oldest one.
    const range = { after, before: new Date(oldest.getTime() + 1), correct: false, limit: MAX_ATTEMPTS };
    const modelled = new Set(model.log.map(({ key }) => key));
    const found = await attempts.log(viewer, { ownerIds: [student] }, range, signal);
    const log = found.filter(({ key }) => !modelled.has(key));
    const wanted = new Set(log.map(({ cardId }) => cardId));
    const cardIds = [...wanted].filter((id) => !ids.has(id) && !model.cards.has(id));
    const cards = cardIds.length === 0 ? [] : await overviews.cards(viewer, { cardIds }, MAX_CARDS, signal);
    return { log, cards };
  }

  /** The likeliest error type of each of the cards of the latest mistakes without any. */
  async #inferred(viewer: Viewer, mistakes: readonly MistakeEvent[], signal: AbortSignal) {
    const bare = mistakes.filter(({ errorTypes }) => errorTypes.length === 0).map(({ card }) => card.id);
    const ids = [...new Set(bare.toReversed())].slice(0, MAX_INFERRED);
    const texts = await this.parts.cards.byIds(viewer, ids, signal);
    const inferred = new Map<string, readonly string[]>();
    for (const card of texts.values()) {
      const { id, studentSolutionText } = card;
      const text = [questionOf(card), studentSolutionText ?? ''].join('\n').slice(0, MAX_CHARS);
      // A text without words, such as a drawing, has no likely label.
      const labels = await nullIfEmpty(() => this.parts.suggester.suggest(viewer, text, 10, signal));
      const likely = labels?.find(({ perspective, score }) => perspective === 'error' && score >= MIN_SCORE);
      if (likely !== undefined) inferred.set(id, [likely.tag]);
    }
    return inferred;
  }

  async #withCards(viewer: Viewer, fingerprint: Fingerprint, signal: AbortSignal): Promise<MistakeFingerprint> {
    const { cells, mostWorth, repeatOffences, unlabelled } = fingerprint;
    const ids = [...cells, ...mostWorth].flatMap(({ cardIds }) => cardIds);
    const wanted = new Set([...ids, ...repeatOffences.map(({ cardId }) => cardId)]);
    const found = await this.parts.cards.byIds(viewer, [...wanted], signal);
    const withCards = <T extends { readonly cardIds: readonly string[] }>({ cardIds, ...rest }: T) => ({
      ...rest,
      cards: cardIds.flatMap((id) => found.get(id) ?? []),
    });
    return {
      cells: cells.map(withCards),
      mostWorth: mostWorth.map(withCards),
      repeatOffences: repeatOffences.flatMap((one) => withCard(one, found)),
      unlabelled,
    };
  }
}

function withCard<T extends { readonly cardId: string }>(
  { cardId, ...rest }: T,
  found: ReadonlyMap<string, Card>,
): readonly WithCard<T>[] {
  const card = found.get(cardId);
  return card === undefined ? [] : [{ ...rest, card }];
}
