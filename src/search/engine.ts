import type { Card } from '../domain/card.js';
import { BadInputError, NotFoundError, UnavailableError } from '../domain/errors.js';
import { PERSPECTIVES } from '../domain/perspective.js';
import type { CardFilterStore, CardStore } from '../domain/ports/cards.js';
import type { VectorReader } from '../domain/ports/collections.js';
import type { Rescorer, RescorerSource } from '../domain/ports/evaluation.js';
import type { SearchEngine } from '../domain/ports/gateway.js';
import type { Generation, IndexLedger } from '../domain/ports/ledger.js';
import type { Embedder, EmbedderSource, Reranker } from '../domain/ports/models.js';
import type { VectorSource } from '../domain/ports/vectors.js';
import {
  type CardFilter,
  type Degradation,
  LANES,
  type SearchHit,
  type SearchRequest,
  type SearchResult,
} from '../domain/search.js';
import type { Viewer } from '../domain/viewer.js';
import type { LexicalIndexes } from '../lexical/indexes.js';
import { collect, cut } from './candidates.js';
import { embedCard, embedText } from './embed.js';
import type { CardScanner } from './exact-scan.js';
import { explain } from './explain.js';
import { fuse } from './fuse.js';
import { read } from './hydrate.js';
import { infer } from './label.js';
import type { OnLane } from './lane-times.js';
import { avoidedLanesOf, lanesOf, weightsOf } from './lanes.js';
import { diversify, POOL_FACTOR, similarityIn } from './mmr.js';
import { answerSignals } from './no-answer-gate.js';
import { DEEPEST, EVERY_MATCH, exactLimit, isRestricted, plan, reachesAll, restricts } from './plan.js';
import { type Query, queryOfCard, queryOfText, type SynonymSource } from './query.js';
import { recall } from './recall.js';
import { RERANK_TOP, rerank, rerankText } from './rerank.js';
import { MatrixRescorer } from './rescoring.js';
import { scoreExactly } from './score-candidates.js';
import { type StepDownResult, stepOf } from './step-down.js';
import { Stopwatch } from './stopwatch.js';
import { bandsOf, passesNoAnswerGate } from './thresholds.js';
import { preferQuality } from './tie-break.js';
import { sameNumbers, sharedLabels, verdict } from './verdict.js';

/** What a search asks. */
export interface EngineParts {
  readonly cards: Pick<CardStore, 'byIds'>;
  readonly filters: CardFilterStore;
  readonly ledger: Pick<IndexLedger, 'cards' | 'indexed' | 'live'>;
  readonly embedders: Pick<EmbedderSource, 'of'>;
  /** Null: none is set. */
  readonly reranker: Reranker | null;
  readonly reader: Pick<VectorReader, 'nearest'>;
  readonly stored: VectorSource;
  readonly lexical: Pick<LexicalIndexes, 'of' | 'set'>;
  readonly scanner: CardScanner;
  readonly synonyms: SynonymSource;
  readonly onLane: OnLane;
  readonly log: { warn(facts: object, message: string): void };
}

interface Live {
  readonly generation: Generation;
  readonly embedder: Embedder;
}

/** A candidate that may be answered, with its card. */
interface Pooled {
  readonly row: number;
  readonly card: Card;
  readonly score: number;
  readonly rerankLogit: number | null;
}

/** The candidates in the order that hits are chosen from, and what a cross-encoder had to do with it. */
interface Pool {
  readonly pooled: readonly Pooled[];
  readonly rerankModel: string | null;
  readonly degraded: readonly Degradation[];
}

/** Up to this many cards a trial scores every one; of more, the best thousand of each lane. */
const RESCORING_LIMIT = 20_000;
const NOTHING_TAKEN: StepDownResult = { rows: [], tried: [] };

/**
 * The read path: plan, embed, recall, score, infer, fuse, read, rerank, choose, explain. Recall only proposes; every score is
 * exact.
 */
export class Engine implements SearchEngine, RescorerSource {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  async search(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    const { cards, filters, lexical, scanner } = this.#parts;
    const parts = { ...this.#parts, index: lexical.of(viewer.tenantId) };
    const watch = new Stopwatch();
    const { generation, embedder } = await this.#live(viewer, signal);
    const filter = withoutItself(request);
    const weights = weightsOf([...lanesOf(request), ...avoidedLanesOf(request)]);
    const asked = (lane: number): boolean => weights[lane] !== 0;
    const bands = bandsOf(embedder.model.name, embedder.lowestCosine);
    const planned = await watch.time('plan', async () => {
      const { size } = parts.index;
      const restricted = isRestricted(viewer);
      const notebook = {
        cards: size,
        scanned: scanner.covers(parts.index, generation),
        whole: !restricted && scanner.coversAll(parts.index, generation),
      };
      const limit = restricted ? EVERY_MATCH : exactLimit(request, notebook);
      const byAll = restricted || restricts(request.filter) || (size <= limit && !reachesAll(request, size));
      const match = byAll ? await filters.matching(viewer, filter, generation.number, limit, signal) : null;
      return plan(request, match, size);
    });
    const query = await watch.time('embed', () => this.#query(viewer, request, { generation, embedder }, signal));
    const search = { viewer, filter, generation, request, plan: planned, query, layerSteps: bands.layers };
    const recalled = await watch.time('recall', () => collect(parts, search, signal));
    const scored = await watch.time('score', () =>
      scoreExactly(parts, { generation, candidates: recalled.candidates, query, asked }, signal),
    );
    const { table, inferredConcepts, bestByTexts } = await watch.time('infer', () =>
      infer(scored.table, weights, query, parts.index),
    );
    const fused = await watch.time('fuse', () => fuse(table, weights, request.fusion));
    const nothingClose =
      request.thresholdSteps === null &&
      request.minScore === null &&
      !passesNoAnswerGate(answerSignals(query, table, weights, bestByTexts, parts.index.size), bands);
    const taken = nothingClose
      ? NOTHING_TAKEN
      : cut(fused, table, { request, weights, steps: request.thresholdSteps ?? bands.steps }, recalled);
    signal.throwIfAborted();
    const found = await watch.time('read', async () => {
      const asking = { rows: taken.rows, cardIds: table.cardIds, wanted: poolSize(request) };
      const best = await read(cards, viewer, asking, signal);
      return best.map(({ row, card }) => ({ row, card, score: fused.scores[row] as number, rerankLogit: null }));
    });
    const pool: Pool = request.rerank
      ? await watch.time('rerank', () => this.#rerank(query, request, found, signal))
      : { pooled: found, rerankModel: null, degraded: [] };
    const chosen = await watch.time('choose', () => {
      const preferred = request.preferQuality ? preferQuality(pool.pooled, request.topK) : pool.pooled;
      const candidates = preferred.map((hit) => ({ ...hit, vectors: scored.vectors.get(hit.card.id) ?? null }));
      const places = diversify(candidates, request, similarityIn(request.weights));
      return places.map((place) => preferred[place] as (typeof preferred)[number]);
    });
    const explained = await watch.time('explain', async () => {
      const candidates = new Map(chosen.map(({ card }) => [card.id, recalled.candidates.get(card.id) as number]));
      const others = { generation, candidates, query, asked: (lane: number) => !asked(lane) };
      const unasked = await scoreExactly(parts, others, signal);
      const rows = chosen.map(({ row }) => row);
      const hits = explain({ table, fused, weights, rows, unasked: unasked.table }).map((lanes, place) => {
        const { card } = chosen[place] as (typeof chosen)[number];
        const context = {
          floor: bands.floor,
          sameNumbers: () => sameNumbers(parts.index.termsOf([query.text]), parts.index.termsOf([card.questionText])),
          shared: query.card === null ? null : sharedLabels(query.card, card),
        };
        return { lanes, verdict: verdict(lanes, context) };
      });
      return { hits, degraded: unasked.degraded };
    });
    const added = [...new Set([...query.added, ...recalled.added])];
    const hits = chosen.map(({ row, card, score, rerankLogit }, place) => ({
      card,
      rank: place + 1,
      score,
      ...(explained.hits[place] as Pick<SearchHit, 'lanes' | 'verdict'>),
      rerankLogit,
      ...(recalled.admittedBy?.get(card.id) ?? {
        layer: null,
        threshold: stepOf(fused.similarities[row] as number, taken.tried),
      }),
    }));
    return {
      hits,
      receipt: {
        requestedTopK: request.topK,
        strategy: request.strategy,
        fusion: request.fusion,
        filterPlan: planned.filterPlan,
        matchedByFilter: planned.matchedByFilter,
        candidates: table.cardIds.length,
        thresholdsTried: taken.tried,
        nothingClose,
        layers: recalled.trials,
        expandedQuery: added.length === 0 ? null : [query.text, ...added].join(' '),
        inferredConcepts,
        embeddingModel: generation.modelKey,
        rerankModel: pool.rerankModel,
        // Hits that could not be read to be scored cannot be read to be explained either: that is said once.
        degraded: [
          ...recalled.degraded,
          ...(scored.degraded.length > 0 ? scored.degraded : explained.degraded),
          ...pool.degraded,
        ],
        tookMs: watch.tookMs,
        stages: watch.stages,
      },
    };
  }

  async trial(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<Rescorer> {
    const { filters, lexical } = this.#parts;
    const parts = { ...this.#parts, index: lexical.of(viewer.tenantId) };
    const live = await this.#live(viewer, signal);
    const { generation } = live;
    const filter = withoutItself(request);
    const query = await this.#query(viewer, request, live, signal);
    const { all } = await filters.matching(viewer, filter, generation.number, RESCORING_LIMIT, signal);
    const lanes = LANES.map((lane) => ({ ...lane, weight: 1 }));
    const deep = { ...plan(request, null, parts.index.size), lanes, depth: DEEPEST, byScore: false, admitted: all };
    const { candidates } = await recall(parts, { viewer, filter, generation }, deep, query, signal);
    const scored = await scoreExactly(parts, { generation, candidates, query, asked: () => true }, signal);
    return new MatrixRescorer({ table: scored.table, query, index: parts.index, request });
  }

  /** The index that answers, and the model that its vectors are of: a query is embedded by that one and no other. */
  async #live({ tenantId }: Viewer, signal: AbortSignal): Promise<Live> {
    const generation = await this.#parts.ledger.live(tenantId, signal);
    if (generation === null)
      throw new UnavailableError('index', 'it is being built for the first time; indexStatus tells how far it is');
    const embedder = this.#parts.embedders.of(generation.modelKey);
    if (embedder === null) {
      throw new UnavailableError(
        'index',
        `it is of the model ${generation.modelKey}, which this gateway does not have; it is being built anew`,
      );
    }
    return { generation, embedder };
  }

  async #query(
    viewer: Viewer,
    request: SearchRequest,
    { generation, embedder }: Live,
    signal: AbortSignal,
  ): Promise<Query> {
    const { cards, lexical, synonyms } = this.#parts;
    const parts = { index: lexical.of(viewer.tenantId), synonyms };
    const { subject, weights, lexicalShare } = request;
    if (subject.kind === 'text') {
      const query = queryOfText(parts, subject.text, await embedText(embedder, subject.text, signal), request);
      if (lexicalShare === 1 && query.features.question.length === 0) {
        throw new BadInputError(
          'text',
          'has only words that every text has, and a lexicalShare of 1 asks nothing else',
        );
      }
      return query;
    }
    const card: Card | undefined = (await cards.byIds(viewer, [subject.cardId], signal)).get(subject.cardId);
    if (card === undefined) throw new NotFoundError('card', subject.cardId);
    const vectors = await embedCard({ ...this.#parts, embedder }, card, generation, signal);
    const asked = PERSPECTIVES.filter((perspective) => weights[perspective] > 0);
    if (asked.every((perspective) => vectors[perspective].length === 0)) {
      throw new BadInputError('cardId', `the card has no text for the perspective ${asked.join(' or ')}`);
    }
    return queryOfCard(parts, card, vectors, request);
  }

  /** The candidates as a cross-encoder orders them: it reads of each card what the search asks about. */
  async #rerank(
    query: Query,
    { weights }: SearchRequest,
    found: readonly Pooled[],
    signal: AbortSignal,
  ): Promise<Pool> {
    const { reranker } = this.#parts;
    const text = query.card === null ? query.text : rerankText(query.card, weights);
    const candidates = found.map((one) => ({ ...one, text: rerankText(one.card, weights) }));
    const { ranked, degraded } = await rerank(this.#parts, text, candidates, signal);
    const rerankModel = degraded === null ? (reranker?.name ?? null) : null;
    return { pooled: ranked, rerankModel, degraded: degraded === null ? [] : [degraded] };
  }
}

/** How many candidates the hits are chosen from: more than are wanted, where something other than the score has a say. */
function poolSize({ topK, diversity, preferQuality, rerank: reranked }: SearchRequest): number {
  const wanted = diversity > 0 || preferQuality ? POOL_FACTOR * topK : topK;
  return reranked ? Math.max(RERANK_TOP, wanted) : wanted;
}

/** A card never finds itself. */
function withoutItself({ subject, filter }: SearchRequest): CardFilter {
  if (subject.kind === 'text') return filter;
  return { ...filter, excludeCardIds: [...(filter.excludeCardIds ?? []), subject.cardId] };
}
