import { LANES, type SearchRequest, type SearchSubject } from '../domain/search.js';
import { inSteps, yieldTurn } from '../domain/steps.js';
import { topK } from '../lexical/top-k.js';
import { chancesOf, coverLabels, coversLabels } from './cover.js';
import { type EmbedParts, embedQuery, spelledSubject } from './embed.js';
import { fuse } from './fuse.js';
import { labelCandidates } from './label.js';
import { laneIndex, lanesOf, weightsOf } from './lanes.js';
import { DEEPEST, plan } from './plan.js';
import { cardsNamed } from './query/label-lookup.js';
import type { LabelNames } from './query/label-names.js';
import { meansOtherLabels, weighingOtherLabels } from './query/other-labels.js';
import { type Query, queryOf } from './query/query.js';
import { filterCandidates, type Retrievable, type RetrieveParts, retrieve } from './retrieve.js';
import type { Retriever } from './retrievers/retriever.js';
import type { SearchScope } from './scope.js';
import { rowsIn, rowsOf, type ScoreMatrix, type ScoreParts, scoreCards, scoreSteps } from './score.js';

/** Up to so many matching cards are all scored; of more, the best thousand of each lane. */
const EXACT_LIMIT = 20_000;

export interface RescorersRequest {
  /** Searches by the same subject and filter, which may differ in operation and weights. */
  readonly requests: readonly SearchRequest[];
  /** {@link DEEPEST} by default. */
  readonly neighbours?: number | undefined;
}

/**
 * A rescorer for each request, of which the first is that of the scope. Scores every matching card if that is no more
 * than the `neighbours` of all lanes, else retrieves so many of each lane. What the searches have in common is
 * retrieved and scored once: they differ in which lexical lane also compares the text with all texts of a card as one.
 */
export async function rescorersOf(
  parts: EmbedParts & RetrieveParts & ScoreParts,
  scope: SearchScope,
  { requests: [, ...others], neighbours = DEEPEST }: RescorersRequest,
  signal: AbortSignal,
): Promise<readonly Rescorer[]> {
  const { request, matches, index, vocabulary } = scope;
  const subject = await spelledSubject(scope, parts.labelLookup, signal);
  const query = await embedQuery(parts, scope, subject, signal);
  const queries = [query, ...others.map((one) => queryOf(one, query))] as const;
  const scoresAll = matches.size <= (EXACT_LIMIT * neighbours) / DEEPEST;
  const all = { cards: index.size, covered: false, coveredAll: false, limit: EXACT_LIMIT, scoresAll };
  const planned = plan({ ...request, filter: {} }, null, all);
  const lanes = LANES.map((lane) => ({ ...lane, weight: 1 }));
  const search = { ...scope, plan: { ...planned, lanes, depth: neighbours } };
  const candidates = await candidatesOf(parts, search, queries, signal);
  const lists = [...new Set(candidates)];
  const cardIds = lists.length === 1 ? (lists[0] as readonly string[]) : [...new Set(lists.flat())];
  const matrices = await matricesOf(parts, scope, { cardIds, queries }, signal);
  const names = await parts.labelLookup.of(index, signal);
  return [request, ...others].map((one, place) => {
    const whole = matrices[place] as ScoreMatrix;
    const kept = candidates[place] as readonly string[];
    const matrix = kept === cardIds ? whole : rowsIn(whole, rowsOf(whole, new Set(kept)));
    const own = {
      query: queries[place] as Query,
      request: { ...one, subject: request.subject, filter: request.filter },
    };
    return new MatrixRescorer({ matrix, subject, index, vocabulary, matches, names, ...own });
  });
}

/** By query. */
async function candidatesOf(
  parts: RetrieveParts & Pick<ScoreParts, 'pause'>,
  search: Omit<Retrievable, 'query'>,
  queries: readonly Query[],
  signal: AbortSignal,
): Promise<readonly (readonly string[])[]> {
  const { pause = yieldTurn } = parts;
  const { chroma, label } = parts.retrievers;
  const once = { ...parts, retrievers: { ...parts.retrievers, chroma: askedOnce(chroma), label: askedOnce(label) } };
  const found = new Map<Query['combined'], readonly string[]>();
  const keyOf = ({ combined }: Query) => (search.plan.candidates === 'matches' ? null : combined);
  for (const query of queries) {
    if (found.has(keyOf(query))) continue;
    const own = { ...search, query };
    const { cardIds } = await filterCandidates(parts, own, await retrieve(once, own, signal), signal);
    found.set(keyOf(query), cardIds);
    // Retrieving by terms is 10 ms of a large notebook.
    await pause();
  }
  return queries.map((query) => found.get(keyOf(query)) as readonly string[]);
}

/** Repeats its answer: for searches that it answers alike. */
function askedOnce(retriever: Retriever): Retriever {
  let answer: ReturnType<Retriever['retrieve']> | undefined;
  return { retrieve: (retrieval, signal) => (answer ??= retriever.retrieve(retrieval, signal)) };
}

/** By query: of the first all lanes are scored, of the others those in which they differ from it. */
async function matricesOf(
  parts: ScoreParts,
  scope: SearchScope,
  { cardIds, queries }: { readonly cardIds: readonly string[]; readonly queries: readonly [Query, ...Query[]] },
  signal: AbortSignal,
): Promise<readonly ScoreMatrix[]> {
  const { index } = scope;
  const [first, ...others] = queries;
  const { matrix } = await scoreCards(parts, scope, { cardIds, query: first, isAsked: () => true }, signal);
  const matrices = [matrix];
  for (const query of others) {
    const differ = [first.combined, query.combined].filter((combined) => combined !== null);
    const own = differ.map((perspective) => laneIndex({ kind: 'LEXICAL', perspective }));
    const steps = scoreSteps(cardIds, { vectors: new Map(), index }, query, (lane) => own.includes(lane));
    const { lanes } = await inSteps(steps, parts.pause, signal);
    matrices.push({ cardIds, lanes: matrix.lanes.map((scores, lane) => lanes[lane] ?? scores) });
  }
  return matrices;
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
