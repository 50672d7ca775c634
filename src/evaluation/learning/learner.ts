import type { Card } from '../../domain/card.js';
import type { HeldOutQuality, LearnedOperation } from '../../domain/profile.js';
import {
  type ProfileSettings,
  SEARCH_OPERATIONS,
  type SearchOperation,
  type SearchSubject,
} from '../../domain/search.js';
import { shuffled } from '../../domain/shuffled.js';
import type { Viewer } from '../../domain/viewer.js';
import { nullIfEmpty } from '../../search/empty-query.js';
import type { Engine } from '../../search/engine.js';
import { requestBy } from '../../search/profile.js';
import type { Rescorer } from '../../search/rescoring.js';
import { seededRandom } from '../random.js';
import { compare, mean, RESAMPLING } from '../statistics.js';
import { ascend, HYPERPARAMETERS, type Objective, type TrainTestSplit, trainTestSplit } from './coordinate-ascent.js';
import { gradesByLabels, type LabelledCards, labelledCards, NOTEBOOK_QUERIES } from './notebook-queries.js';
import { DEPTH, objectiveOf, type RescoredCase, RescoredCases, type RescoredCasesParts } from './rescored-cases.js';

export interface LearnerParts extends Omit<RescoredCasesParts, 'rescorers'> {
  readonly rescorers: Pick<Engine, 'rescorers'>;
  /** Settings of searches without a profile. */
  readonly defaults: ProfileSettings;
}

/** Queries of an operation; half of them are held out. */
const MOST_QUERIES = 240;

/** With fewer the defaults stay: neighbouring settings differ by less than the noise of some ten queries. */
export const LEAST_QUERIES = 60;
/** Of each half; those with the same text are in the same one. */
const LEAST_HALF = 20;

/**
 * Labelled cards that are read, a random sample of a larger notebook: more than the queries, as not every card has each
 * text.
 */
const MOST_CARDS = 1_000;

/** Cards that are read at a time. */
const PAGE = 50;

/** Neighbours of each lane that a rescorer scores, and the best of each lane that it keeps. */
const NEIGHBOURS = 250;
const KEPT = 40;

/** A query is the beginning of a card's text, at most so many code points: 8,000 bytes, of the 16,384 of a search. */
const MAX_QUERY_CHARS = 2_000;

/**
 * Learns the settings of each operation from a notebook: every labelled card, or a random sample of them, asks with its
 * own text, as if it were not in the notebook, for the cards that share its labels. Coordinate ascent on one half of
 * the queries; the other half decides whether the result is used.
 */
export class Learner {
  constructor(private readonly parts: LearnerParts) {}

  /**
   * Operations with fewer than {@link LEAST_QUERIES} queries are left out, and those of which most queries have the
   * same text, so that one half has nearly all. Deterministic for the same notebook.
   */
  async learn(viewer: Viewer, index: LabelledCards, signal: AbortSignal): Promise<readonly LearnedOperation[]> {
    const cases = await this.#cases(viewer, index, signal);
    const learned: LearnedOperation[] = [];
    for (const operation of SEARCH_OPERATIONS) {
      const own = cases.get(operation) ?? [];
      const split = trainTestSplit(own, RESAMPLING.seed);
      const isEnough = own.length >= LEAST_QUERIES && Math.min(split.training.length, split.test.length) >= LEAST_HALF;
      if (isEnough) learned.push(await this.#learnOperation(operation, split, signal));
    }
    return learned;
  }

  async #learnOperation(
    operation: SearchOperation,
    split: TrainTestSplit<NotebookCase>,
    signal: AbortSignal,
  ): Promise<LearnedOperation> {
    const { defaults } = this.parts;
    const training = new RescoredCases(this.parts, split.training);
    const heldOut = new RescoredCases(this.parts, split.test);
    const objective: Objective = (settings) => training.objective(settings, signal);
    const everyone = Array.from({ length: training.size }, (_, place) => place);
    // Searches by one perspective have no weights to learn. Another fusion has scores that depend on the other hits: a
    // client that did not ask for it compares its scores with `minScore`, and with those of other searches.
    const isLearned = (name: string): boolean =>
      name !== 'fusion' && (name !== 'weights' || operation === 'hybridSearch');
    const hyperparameters = HYPERPARAMETERS.filter(({ name }) => isLearned(name));
    const settings = await ascend(defaults, hyperparameters, everyone, objective);
    const [before, after] = [await heldOut.quality(defaults, signal), await heldOut.quality(settings, signal)];
    return {
      operation,
      settings,
      used: isBetter(
        before,
        after,
        split.test.map(({ named }) => named),
      ),
      trainingQueries: training.size,
      heldOutQueries: heldOut.size,
      byDefault: meanOf(before),
      learned: meanOf(after),
    };
  }

  /** By operation, each with rescorers of its own: which texts of a card are compared depends on the operation. */
  async #cases(
    viewer: Viewer,
    index: LabelledCards,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<SearchOperation, readonly NotebookCase[]>> {
    const cases = new Map<SearchOperation, NotebookCase[]>(SEARCH_OPERATIONS.map((operation) => [operation, []]));
    const isWanted = (operation: SearchOperation): boolean => (cases.get(operation)?.length ?? 0) < MOST_QUERIES;
    const ids = labelledCards(index).toSorted();
    const places = shuffled(ids.length, seededRandom(RESAMPLING.seed)).slice(0, MOST_CARDS);
    const order = places.map((place) => ids[place] as string);
    for (let at = 0; at < order.length && SEARCH_OPERATIONS.some(isWanted); at += PAGE) {
      const page = await this.parts.cards.byIds(viewer, order.slice(at, at + PAGE), signal);
      for (const [place, card] of [...page.values()].entries()) {
        const asked = { card, queries: queriesOf(index, { card, place }, SEARCH_OPERATIONS.filter(isWanted)) };
        for (const one of await this.#casesOf(viewer, index, asked, signal)) cases.get(one.operation)?.push(one);
      }
    }
    return cases;
  }

  /** Searches by the same text share what they have in common. */
  async #casesOf(
    viewer: Viewer,
    index: LabelledCards,
    { card, queries }: { readonly card: Card; readonly queries: readonly CardQuery[] },
    signal: AbortSignal,
  ): Promise<readonly NotebookCase[]> {
    const cases: NotebookCase[] = [];
    for (const text of new Set(queries.map((query) => query.text))) {
      signal.throwIfAborted();
      const asked = queries.filter((query) => query.text === text);
      const subject = { kind: 'text', text, leaveOut: card.id } as const;
      const narrowed = await this.#rescorers(viewer, subject, asked, signal);
      for (const [place, rescorer] of narrowed.entries()) {
        const { operation, named } = asked[place] as CardQuery;
        const { labels } = NOTEBOOK_QUERIES[operation];
        const grades = gradesByLabels(index, labels, card.id, rescorer.cardIds);
        cases.push({ operation, subject, filter: {}, rescorer, named, grades });
      }
    }
    return cases;
  }

  /** By query; none if the text has nothing to search for. */
  async #rescorers(
    viewer: Viewer,
    subject: SearchSubject,
    queries: readonly CardQuery[],
    signal: AbortSignal,
  ): Promise<readonly Rescorer[]> {
    const { rescorers, defaults, takeTurn } = this.parts;
    const requests = queries.map(({ operation }) => requestBy(defaults, { operation, subject, filter: {} }, DEPTH));
    const asked = { requests, neighbours: NEIGHBOURS };
    const deep = await nullIfEmpty(() => takeTurn(() => rescorers.rescorers(viewer, asked, signal)));
    const narrowed: Rescorer[] = [];
    for (const one of deep ?? []) narrowed.push(await takeTurn(() => one.narrowed(KEPT)));
    return narrowed;
  }
}

/** A case that asks with a text of a card, or with the name of its topic. */
interface NotebookCase extends RescoredCase {
  readonly named: boolean;
}

type CardQuery = Pick<NotebookCase, 'operation' | 'named'> & { readonly text: string };

/**
 * What a card asks in each search, at its `place` among the cards that ask: nothing if it has no such text, or no other
 * card shares its labels.
 */
function queriesOf(
  index: LabelledCards,
  { card, place }: { readonly card: Card; readonly place: number },
  operations: readonly SearchOperation[],
): readonly CardQuery[] {
  return operations.flatMap((operation) => {
    const { labels, textOf, byName = false } = NOTEBOOK_QUERIES[operation];
    const named = byName && place % 2 === 1;
    const whole = named ? (card.topicTags[0] ?? null) : textOf(card);
    if (whole === null || gradesByLabels(index, labels, card.id, []).size === 0) return [];
    return [{ operation, named, text: [...whole].slice(0, MAX_QUERY_CHARS).join('') }];
  });
}

/**
 * Whether learned settings replace the defaults: the gain in the mean of nDCG@10 and MRR is significant, as in reports,
 * and neither of the two is lower, in all queries and in those that are `named` and those that are not. A gain by
 * chance would be used in every other notebook in which nothing is to be gained.
 */
export function isBetter(
  before: readonly HeldOutQuality[],
  after: readonly HeldOutQuality[],
  named: readonly boolean[] = [],
): boolean {
  const isLower = (isCounted: (place: number) => boolean): boolean => {
    const counted = (values: readonly HeldOutQuality[]) => meanOf(values.filter((_, place) => isCounted(place)));
    const [byDefault, learned] = [counted(before), counted(after)];
    // Without cases the means are NaN, and no comparison with NaN is true.
    return learned.ndcgAt10 < byDefault.ndcgAt10 || learned.mrr < byDefault.mrr;
  };
  if (isLower(() => true) || isLower((place) => named[place] === true) || isLower((place) => named[place] !== true)) {
    return false;
  }
  const { supported, low } = compare(before.map(objectiveOf), after.map(objectiveOf));
  return supported && low > 0;
}

function meanOf(values: readonly HeldOutQuality[]): HeldOutQuality {
  return { ndcgAt10: mean(values.map(({ ndcgAt10 }) => ndcgAt10)), mrr: mean(values.map(({ mrr }) => mrr)) };
}
