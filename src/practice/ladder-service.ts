import type { Card } from '../domain/card.js';
import { cardByGivenId, type MergeableCards } from '../domain/given-ids.js';
import { labelKey } from '../domain/labels.js';
import type { Language } from '../domain/language.js';
import type { Perspective } from '../domain/perspective.js';
import type { SearchProfiles } from '../domain/ports/evaluation.js';
import type { SearchEngine } from '../domain/ports/gateway.js';
import type { VocabularyStore } from '../domain/ports/labels.js';
import type { ReviewStore } from '../domain/ports/practice.js';
import type { CardFilter, SearchOperation, SearchSubject } from '../domain/search.js';
import type { SearchHit } from '../domain/search-result.js';
import { inSteps } from '../domain/steps.js';
import type { Viewer } from '../domain/viewer.js';
import { nullIfEmpty } from '../search/empty-query.js';
import { requestBy } from '../search/profile.js';
import { labelKeySteps } from './label-keys.js';
import { type Candidate, duplicateSteps, ladderSteps, othersThan, type Rung, TRAINING } from './ladder.js';
import { type LadderFrom, missingOf, reasonOf } from './ladder-wording.js';
import { bounds, type PracticeService } from './practice-service.js';
import { modelOf, type StudentModel, type StudentModelParts } from './student-model.js';

/** Hits of each search that rungs are chosen from. */
const HITS = 50;

export interface LadderServiceParts extends StudentModelParts {
  readonly engine: SearchEngine;
  readonly profiles: Pick<SearchProfiles, 'chosen'>;
  readonly cards: MergeableCards;
  readonly reviews: Pick<ReviewStore, 'done'>;
  readonly practice: Pick<PracticeService, 'settings'>;
  readonly labels: Pick<VocabularyStore, 'described'>;
}

export interface LadderRung extends Rung {
  readonly reason: string;
}

export interface Ladder {
  readonly rungs: readonly LadderRung[];
  /** What the notebook lacks for a better one. */
  readonly missing: readonly string[];
}

export interface LadderQuery {
  readonly from: LadderFrom;
  readonly first: number;
  readonly language: Language;
}

/** A card that trains the same as another one. */
export type Sibling = Pick<Candidate, 'card' | 'verdict'>;

/** The searches that find what trains a mistake, and in which perspective. */
const SEARCHES: readonly (readonly [SearchOperation, Perspective])[] = [
  ['similarQuestions', 'question'],
  ['byError', 'error'],
  ['byConcept', 'concept'],
];

/** At which probability of solving a card of a topic its foundations look weak. */
const WEAK = 0.5;

/** Ladders, and siblings of due cards: what the search finds, ordered by what the student can do. */
export class LadderService {
  constructor(private readonly parts: LadderServiceParts) {}

  /** NotFoundError for a card that the viewer does not have. */
  async ladder(
    viewer: Viewer,
    { from, first, language }: LadderQuery,
    now: Date,
    signal: AbortSignal,
  ): Promise<Ladder> {
    const source = from.kind === 'card' ? await cardByGivenId(this.parts.cards, viewer, from.cardId, signal) : null;
    const topics = source?.topicTags ?? (from.kind === 'topic' ? [from.label] : []);
    const [model, done, found, described] = await Promise.all([
      modelOf(this.parts, viewer, viewer.ownerId, null, signal),
      this.#doneToday(viewer, now, signal),
      this.#found(viewer, from, source, signal),
      this.parts.labels.described(viewer.tenantId),
    ]);
    const isDuplicate = duplicateSteps();
    const training = await inSteps(othersThan(source === null ? [] : [source], found, isDuplicate));
    const candidates = training
      .filter(({ card }) => !done.has(card.id))
      .map((one): Candidate => ({ ...one, probability: model.probability(one.card, now) }));
    const difficulty = source?.difficulty ?? medianDifficulty(training.map(({ card }) => card));
    const topicKeys = await inSteps(labelKeySteps(described, 'topicTags', topics));
    const isWeak = await inSteps(weakSteps(model, topicKeys, now));
    const rungs = await inSteps(ladderSteps(candidates, isDuplicate, { first, difficulty, isWeak }));
    const facts = {
      from,
      wanted: first,
      rungs,
      doneToday: training.length - candidates.length,
      hasTopics: topics.length > 0,
      hasErrors: (source?.errorTypes.length ?? 1) > 0,
    };
    return {
      rungs: rungs.map((rung, place) => ({
        ...rung,
        reason: reasonOf(rung, place, sharedLabel(rung, from, source), language),
      })),
      missing: missingOf(facts, language),
    };
  }

  /**
   * For each card one that trains the same, none of them twice, none that was practised on the day of `at`; null if
   * there is none.
   */
  async siblings(
    viewer: Viewer,
    cards: readonly Card[],
    at: Date,
    signal: AbortSignal,
  ): Promise<readonly (Sibling | null)[]> {
    const isDuplicate = duplicateSteps();
    const done = await this.#doneToday(viewer, at, signal);
    const served = cards.slice();
    const siblings: (Sibling | null)[] = [];
    for (const card of cards) {
      const hits = await this.#search(viewer, 'hybridSearch', { kind: 'card', cardId: card.id }, {}, signal);
      const closestFirst = hits
        .flatMap(trainingOf)
        .filter((hit) => !done.has(hit.card.id))
        .sort((a, b) => TRAINING.indexOf(a.verdict) - TRAINING.indexOf(b.verdict));
      const [sibling] = await inSteps(othersThan(served, closestFirst, isDuplicate, 1));
      if (sibling !== undefined) served.push(sibling.card);
      siblings.push(sibling ?? null);
    }
    return siblings;
  }

  async #doneToday(viewer: Viewer, at: Date, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { start, end } = bounds(at, await this.parts.practice.settings(viewer));
    return new Set((await this.parts.reviews.done(viewer, start, end, signal)).cardIds);
  }

  /**
   * What trains the mistake, each card once, by the closest verdict and the perspective in which it was found first.
   */
  async #found(viewer: Viewer, from: LadderFrom, source: Card | null, signal: AbortSignal) {
    const found = new Map<string, Omit<Candidate, 'probability'>>();
    const add = (siblings: readonly Sibling[], perspective: Perspective): void => {
      for (const { card, verdict } of siblings) {
        const known = found.get(card.id);
        if (known && TRAINING.indexOf(known.verdict) <= TRAINING.indexOf(verdict)) continue;
        found.set(card.id, { card, verdict, perspective });
      }
    };
    if (from.kind === 'card' && source !== null) {
      const possible = SEARCHES.filter(
        ([, perspective]) =>
          perspective === 'question' || (perspective === 'error' ? source.errorTypes : source.topicTags).length > 0,
      );
      const subject = { kind: 'card', cardId: source.id } as const;
      const answers = await Promise.all(
        possible.map(async ([operation, perspective]) => {
          return [await this.#search(viewer, operation, subject, {}, signal), perspective] as const;
        }),
      );
      for (const [hits, perspective] of answers) add(hits.flatMap(trainingOf), perspective);
    } else if (from.kind !== 'card') {
      // The filter ensures that these cards have the label.
      const [operation, perspective, filter, verdict] =
        from.kind === 'topic'
          ? (['byConcept', 'concept', { topicTags: [from.label] }, 'SAME_IDEA'] as const)
          : (['byError', 'error', { errorTypes: [from.label] }, 'SAME_TRAP'] as const);
      const hits = await this.#search(viewer, operation, { kind: 'text', text: from.label }, filter, signal);
      add(
        hits.map(({ card }) => ({ card, verdict })),
        perspective,
      );
    }
    return [...found.values()];
  }

  async #search(
    viewer: Viewer,
    operation: SearchOperation,
    subject: SearchSubject,
    filter: CardFilter,
    signal: AbortSignal,
  ): Promise<readonly SearchHit[]> {
    const { settings } = await this.parts.profiles.chosen(viewer);
    // The verdicts decide which hits are close enough.
    const request = { ...requestBy(settings, { operation, subject, filter }, HITS), minScore: 0 };
    const result = await nullIfEmpty(() => this.parts.engine.search(viewer, request, signal));
    return result?.hits ?? [];
  }
}

function trainingOf({ card, verdict }: SearchHit): readonly Sibling[] {
  return TRAINING.filter((training) => training === verdict).map((training) => ({ card, verdict: training }));
}

/** Whether one of the topics is weak; those without an attempt are not. A student may have attempted many others. */
function* weakSteps(model: StudentModel, topicKeys: ReadonlySet<string>, now: Date): Generator<void, boolean> {
  for (const { kind, name } of model.labels()) {
    yield;
    const isAsked = kind === 'topicTags' && topicKeys.has(labelKey(name));
    if (isAsked && model.probabilityOf(kind, name, now) < WEAK) return true;
  }
  return false;
}

function medianDifficulty(cards: readonly Card[]): number {
  const sorted = cards.map(({ difficulty }) => difficulty).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 3;
}

/** What a rung shares with the mistake, by its verdict; null if that has no name. */
function sharedLabel({ verdict, card }: Rung, from: LadderFrom, source: Card | null): string | null {
  if (from.kind !== 'card') return from.label;
  const [own, theirs] =
    verdict === 'SAME_TRAP' ? [card.errorTypes, source?.errorTypes ?? []] : [card.topicTags, source?.topicTags ?? []];
  return own.find((label) => theirs.includes(label)) ?? null;
}
