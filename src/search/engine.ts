import { nextTurn } from '../domain/async.js';
import type { Card } from '../domain/card.js';
import type { CardFilterStore, CardStore, MatchingCards } from '../domain/ports/cards.js';
import type { Rescorer, RescorerSource } from '../domain/ports/evaluation.js';
import type { SearchEngine } from '../domain/ports/gateway.js';
import type { IndexLedger } from '../domain/ports/ledger.js';
import type { Reranker } from '../domain/ports/models.js';
import type { VectorSource } from '../domain/ports/vectors.js';
import {
  LABEL_PERSPECTIVES,
  type SearchHit,
  type SearchReceipt,
  type SearchRequest,
  type SearchResult,
} from '../domain/search.js';
import type { Viewer } from '../domain/viewer.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import { type Cut, cut, stepOf, type Thresholds, thresholdsOf } from './cut.js';
import { embedQuery } from './embed.js';
import { explain } from './explain.js';
import { type Fused, fuse } from './fuse.js';
import { hydrate } from './hydrate.js';
import { labelCandidates } from './label.js';
import { LabelNames } from './label-names.js';
import { avoidedLanesOf, lanesOf, weightsOf } from './lanes.js';
import { type Layered, retrieveByLayers } from './layered.js';
import { planSearch } from './plan.js';
import type { Query, SynonymSource } from './query.js';
import { asFused, type Reranked, rerank } from './rerank.js';
import { rescorerOf } from './rescoring.js';
import { filterCandidates, type Retrievable, type Retrievers, retrieve } from './retrieve.js';
import { type ScopeParts, scopeOf } from './scope.js';
import { scoreCards } from './score.js';
import { poolSize, select } from './select.js';
import { Stopwatch } from './timing.js';
import { votersOf, withoutVoters } from './voters.js';

export interface EngineParts extends ScopeParts {
  readonly cards: Pick<CardStore, 'byIds'>;
  readonly filters: CardFilterStore;
  readonly ledger: Pick<IndexLedger, 'cards' | 'indexed' | 'live'>;
  /** Null: none is configured. */
  readonly reranker: Reranker | null;
  readonly stored: VectorSource;
  readonly retrievers: Retrievers;
  readonly synonyms: SynonymSource;
  readonly log: { warn(facts: object, message: string): void };
}

type Collected = Omit<Layered, 'admittedBy'> & { readonly admittedBy: Layered['admittedBy'] | null };

/** From so many candidates on, the event loop has a turn between two stages. */
const MANY_CANDIDATES = 5_000;

/** The read path. Retrievers only propose candidates; every score is exact. */
export class Engine implements SearchEngine, RescorerSource {
  readonly #parts: EngineParts & { readonly labelNames: LabelNames };

  constructor(parts: EngineParts) {
    this.#parts = { ...parts, labelNames: new LabelNames() };
  }

  async search(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    const parts = this.#parts;
    const watch = new Stopwatch();
    const scope = await scopeOf(parts, viewer, request, signal);
    const { index, generation, embedder } = scope;
    const weights = weightsOf([...lanesOf(request), ...avoidedLanesOf(request)]);
    const thresholds = thresholdsOf(embedder.model.name, embedder.lowestCosine);

    const plan = await watch.time('plan', () => planSearch(parts, scope, signal));
    const query = await watch.time('embed', () => embedQuery(parts, scope, signal));
    const [candidates, voters] = await Promise.all([
      this.#collect({ ...scope, plan, query }, thresholds, watch, signal),
      votersOf(parts, { ...scope, query }, signal),
    ]);
    const { cards } = candidates;
    const scorable = new Map([...voters.cards, ...cards]);
    const isAsked = (lane: number): boolean => weights[lane] !== 0;
    const scored = await watch.time('score', () =>
      scoreCards(parts, scope, { cards: scorable, query, isAsked }, signal),
    );
    const labelled = await watch.time('label', () =>
      withoutVoters(labelCandidates(scored.matrix, weights, query, index), cards, weights),
    );
    const { matrix } = labelled;
    // Two stages that look at every candidate: 20 ms each for a student's search of 20,000 own cards.
    if (matrix.cardIds.length > MANY_CANDIDATES) await nextTurn();
    const fused = await watch.time('fuse', () => fuse(matrix, weights, request.fusion));
    if (matrix.cardIds.length > MANY_CANDIDATES) await nextTurn();
    const named = this.#cardsNamed(request, index, cards);
    const layerSteps = candidates.admittedBy === null ? null : candidates.tried;
    const taken = await watch.time('cut', () =>
      cut({ request, thresholds, weights, query, labelled, fused, named, cards: index.size, layerSteps }),
    );
    signal.throwIfAborted();
    const pool = await watch.time('hydrate', () => {
      const wanted = { rows: taken.rows, cardIds: matrix.cardIds, wanted: poolSize(request) };
      return hydrate(parts.cards, viewer, wanted, signal);
    });
    const found = pool.map(({ row, card }) => ({ row, card, score: fused.scores[row] as number }));
    const reranked = request.rerank
      ? await watch.time('rerank', () => rerank(parts, query, request.weights, found, signal))
      : asFused(found);
    const selected = await watch.time('select', () => select(reranked.ranked, request, scored.vectors));
    const { explanations, degraded } = await watch.time('explain', () => {
      const { floor } = thresholds;
      return explain(parts, scope, { matrix, fused, weights, query, hits: selected, revisions: cards, floor }, signal);
    });

    const hits = selected.map(
      (hit, place): SearchHit => ({
        card: hit.card,
        rank: place + 1,
        score: hit.score,
        ...(explanations[place] as (typeof explanations)[number]),
        rerankLogit: hit.rerankLogit,
        ...admission(hit, candidates, fused, taken),
      }),
    );
    const added = [...new Set([...query.added, ...candidates.added])];
    const receipt: SearchReceipt = {
      requestedTopK: request.topK,
      strategy: request.strategy,
      fusion: request.fusion,
      retrievers: candidates.retrievers,
      filterPlan: plan.filterPlan,
      matchedByFilter: plan.matchedByFilter,
      candidates: matrix.cardIds.length,
      thresholdsTried: taken.tried,
      nothingClose: taken.nothingClose,
      layers: candidates.trials,
      expandedQuery: added.length > 0 || isRespelled(request, query) ? [query.text, ...added].join(' ') : null,
      inferredConcepts: taken.nothingClose ? [] : labelled.inferredConcepts,
      embeddingModel: generation.modelKey,
      rerankModel: reranked.model,
      // Vectors that cannot be read for scores cannot be read for explanations either: named once.
      degraded: [
        ...candidates.degraded,
        ...(scored.degraded.length > 0 ? scored.degraded : degraded),
        ...reranked.degraded,
      ],
      tookMs: watch.tookMs,
      stages: watch.stages,
    };
    return { hits, receipt };
  }

  async trial(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<Rescorer> {
    return rescorerOf(this.#parts, await scopeOf(this.#parts, viewer, request, signal), signal);
  }

  /** The candidates with a label that the text is the name of, where the search looks at such labels. */
  #cardsNamed(
    { subject, weights, expand }: SearchRequest,
    index: LexicalIndex,
    candidates: MatchingCards,
  ): ReadonlySet<string> {
    if (subject.kind === 'card') return new Set();
    const { labelNames, synonyms } = this.#parts;
    const named = labelNames.named(index, expand ? synonyms : { of: () => [] }, subject.text);
    const asked = LABEL_PERSPECTIVES.filter((perspective) => weights[perspective] > 0);
    const cards = asked.flatMap((of) => named[of].flatMap((label) => index.allWithLabel(of, label)));
    return new Set(cards.filter((cardId) => candidates.has(cardId)));
  }

  async #collect(
    search: Retrievable,
    { layers }: Thresholds,
    watch: Stopwatch,
    signal: AbortSignal,
  ): Promise<Collected> {
    const parts = this.#parts;
    if (search.request.strategy === 'LAYERED') {
      return watch.time('layers', () => retrieveByLayers(parts, search, layers, signal));
    }
    const proposals = await watch.time('retrieve', () => retrieve(parts, search, signal));
    const candidates = await watch.time('filter', () => filterCandidates(parts, search, proposals, signal));
    return { ...candidates, admittedBy: null, trials: [], tried: [], added: [] };
  }
}

function isRespelled({ subject }: SearchRequest, { text }: Query): boolean {
  return subject.kind === 'text' && !text.startsWith(subject.text);
}

/** The layer and the step that admitted a hit. */
function admission(
  { row, card }: Reranked<{ readonly row: number; readonly card: Card; readonly score: number }>,
  { admittedBy }: Collected,
  { similarities }: Fused,
  { tried }: Cut,
): Pick<SearchHit, 'layer' | 'threshold'> {
  return admittedBy?.get(card.id) ?? { layer: null, threshold: stepOf(similarities[row] as number, tried) };
}
