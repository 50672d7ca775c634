import { LANES, type SearchRequest, type SearchSubject } from '../domain/search.js';
import { topK } from '../lexical/top-k.js';
import { chancesOf, coverLabels, coversLabels } from './cover.js';
import { type EmbedParts, embedQuery, spelledSubject } from './embed.js';
import { fuse } from './fuse.js';
import { labelCandidates } from './label.js';
import { lanesOf, weightsOf } from './lanes.js';
import { DEEPEST, plan } from './plan.js';
import { cardsNamed } from './query/label-lookup.js';
import type { LabelNames } from './query/label-names.js';
import { meansOtherLabels, weighingOtherLabels } from './query/other-labels.js';
import type { Query } from './query/query.js';
import { filterCandidates, type RetrieveParts, retrieve } from './retrieve.js';
import type { SearchScope } from './scope.js';
import { rowsIn, rowsOf, type ScoreMatrix, type ScoreParts, scoreCards } from './score.js';

/** Up to so many matching cards are all scored; of more, the best thousand of each lane. */
const EXACT_LIMIT = 20_000;

/**
 * Scores every matching card if that is no more than the `neighbours` of all lanes, else retrieves so many of each
 * lane.
 */
export async function rescorerOf(
  parts: EmbedParts & RetrieveParts & ScoreParts,
  scope: SearchScope,
  signal: AbortSignal,
  neighbours: number = DEEPEST,
): Promise<Rescorer> {
  const { request, matches, index, vocabulary } = scope;
  const subject = await spelledSubject(scope, parts.labelLookup, signal);
  const query = await embedQuery(parts, scope, subject, signal);
  const scoresAll = matches.size <= (EXACT_LIMIT * neighbours) / DEEPEST;
  const all = { cards: index.size, covered: false, coveredAll: false, limit: EXACT_LIMIT, scoresAll };
  const planned = plan({ ...request, filter: {} }, null, all);
  const lanes = LANES.map((lane) => ({ ...lane, weight: 1 }));
  const search = { ...scope, query, plan: { ...planned, lanes, depth: neighbours } };
  const { cardIds } = await filterCandidates(parts, search, await retrieve(parts, search, signal), signal);
  const { matrix } = await scoreCards(parts, scope, { cardIds, query, isAsked: () => true }, signal);
  const names = await parts.labelLookup.of(index, signal);
  return new MatrixRescorer({ matrix, subject, query, index, vocabulary, matches, names, request });
}

/** The label lanes of the request are those that {@link MatrixRescorer.byLane} ranks by. */
export interface RescoringParts extends Pick<SearchScope, 'index' | 'vocabulary' | 'matches' | 'request'> {
  /** All dense and lexical lanes; the label lanes depend on the settings. */
  readonly matrix: ScoreMatrix;
  /** See {@link spelledSubject}. */
  readonly subject: SearchSubject;
  readonly query: Query;
  /** Of the labels of the index. */
  readonly names: LabelNames;
}

/** A weight that changes no posterior: the label lane is scored, and only the asked lanes decide which cards vote. */
const NEGLIGIBLE = 1e-9;

/**
 * One query with the lane scores of its cards. They do not depend on the settings, so that any number of settings can
 * be evaluated without searching again.
 */
export type Rescorer = Pick<MatrixRescorer, 'cardIds' | 'filtersOut' | 'byLane' | 'byRequest' | 'narrowed'>;

/** Ranks the cards of one query by any lane or settings, from scores that are computed once. */
class MatrixRescorer {
  #labelled: ScoreMatrix | undefined;
  #otherLabels: boolean | undefined;

  constructor(private readonly parts: RescoringParts) {}

  /** The scored cards: all matching ones, if they are not too many. */
  get cardIds(): readonly string[] {
    return this.parts.matrix.cardIds;
  }

  /** Whether the filter leaves out this card, which is indexed. */
  filtersOut(cardId: string): boolean {
    const { index, matches } = this.parts;
    return index.cards.docOf(cardId) !== undefined && !matches.has(cardId);
  }

  /** The best cards by one lane alone (its index in LANES), best first, ties by id; none with a score of 0. */
  byLane(lane: number, limit: number): readonly string[] {
    const { lanes } = LANES[lane]?.kind === 'INFERRED' ? this.#withLabelLanes() : this.parts.matrix;
    const scores = lanes[lane] ?? null;
    return scores === null ? [] : topK(scores, limit, this.cardIds).map((row) => this.cardIds[row] as string);
  }

  /** The ranking of a search with these settings, best first. */
  byRequest(given: SearchRequest, limit: number): readonly string[] {
    const { matrix, query, index } = this.parts;
    const request = weighingOtherLabels(given, this.#meansOther);
    const weights = weightsOf(lanesOf(request));
    const labelled = labelCandidates(matrix, weights, query, index, { rule: request });
    const { order } = fuse(labelled.matrix, weights, request.fusion);
    const named = cardsNamed({ request, index, query }, this.cardIds);
    const chances = chancesOf(this.cardIds, labelled.posteriors, weights, index);
    const rows = coversLabels(request, named) ? coverLabels(order, chances) : order;
    return rows.slice(0, limit).map((row) => this.cardIds[row] as string);
  }

  /** The same query with only the `limit` best cards of each lane: cheap enough to evaluate hundreds of settings. */
  narrowed(limit: number): Rescorer {
    const { matrix } = this.parts;
    const kept = new Set(LANES.flatMap((_, lane) => this.byLane(lane, limit)));
    return new MatrixRescorer({ ...this.parts, matrix: rowsIn(matrix, rowsOf(matrix, kept)) });
  }

  /** Looked up once: no settings change the text, nor the labels that it names. */
  readonly #meansOther = (): boolean => {
    const { request, subject, names } = this.parts;
    this.#otherLabels ??= meansOtherLabels(request, subject, names, this.parts);
    return this.#otherLabels;
  };

  #withLabelLanes(): ScoreMatrix {
    if (this.#labelled !== undefined) return this.#labelled;
    const { matrix, query, index, request } = this.parts;
    const weights = weightsOf(lanesOf(request));
    LANES.forEach(({ kind }, lane) => {
      if (kind === 'INFERRED' && weights[lane] === 0) weights[lane] = NEGLIGIBLE;
    });
    this.#labelled = labelCandidates(matrix, weights, query, index, { rule: request }).matrix;
    return this.#labelled;
  }
}
