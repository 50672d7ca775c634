import type { Card } from '../domain/card.js';
import type { CardFilterStore } from '../domain/ports/cards.js';
import type { SearchEngine } from '../domain/ports/gateway.js';
import type { IndexLedger } from '../domain/ports/ledger.js';
import type { SearchRequest } from '../domain/search.js';
import type { Degradation, SearchHit, SearchReceipt, SearchResult } from '../domain/search-result.js';
import { inSteps } from '../domain/steps.js';
import type { Viewer } from '../domain/viewer.js';
import type { EnglishWords } from '../text/english-words.js';
import { stepOf, thresholdsOf } from './cut.js';
import { embedQuery, spelledSubject } from './embed.js';
import { explain } from './explain.js';
import { type FindInput, type Found, find } from './find.js';
import { avoidedLanesOf, lanesOf, weightsOf } from './lanes.js';
import { layersOf } from './layered.js';
import { planSearch } from './plan.js';
import type { Homophones } from './query/homophones.js';
import { LabelLookup } from './query/label-lookup.js';
import { meansOtherLabels, weighingOtherLabels } from './query/other-labels.js';
import type { Query } from './query/query.js';
import { refreshed } from './refresh.js';
import { asFused, type Reranked, type RerankParts, rerank } from './rerank.js';
import { type Rescorer, type RescorersRequest, rescorersOf } from './rescoring.js';
import type { Retrievable, Retrievers } from './retrieve.js';
import { type ScopeParts, scopeOf } from './scope.js';
import type { ScoreParts } from './score.js';
import { selectSteps } from './select.js';
import { Stopwatch } from './timing.js';

export interface EngineParts extends ScopeParts, ScoreParts, RerankParts {
  readonly filters: CardFilterStore;
  readonly ledger: Pick<IndexLedger, 'cards' | 'counts' | 'indexed' | 'live'>;
  readonly retrievers: Retrievers;
  readonly english: Pick<EnglishWords, 'has'>;
  readonly homophones: Pick<Homophones, 'namesBySound' | 'read'>;
}

/** The read path. Retrievers only propose candidates; every score is exact. */
export class Engine implements SearchEngine {
  readonly #parts: EngineParts & { readonly labelLookup: LabelLookup };

  constructor(parts: EngineParts) {
    this.#parts = { ...parts, labelLookup: new LabelLookup(parts.english, parts.homophones) };
  }

  async search(viewer: Viewer, given: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    const parts = this.#parts;
    const watch = new Stopwatch();
    const asGiven = await scopeOf(parts, viewer, given, signal);
    const { scope, query } = await watch.time('embed', async () => {
      const subject = await spelledSubject(asGiven, parts.labelLookup, signal);
      const names = await parts.labelLookup.of(asGiven.index, signal);
      const meansOther = (): boolean => meansOtherLabels(asGiven.request, subject, names, asGiven);
      const scope = { ...asGiven, request: weighingOtherLabels(asGiven.request, meansOther) };
      return { scope, query: await embedQuery(parts, scope, subject, signal) };
    });
    const { request, generation, embedder } = scope;
    const weights = weightsOf([...lanesOf(request), ...avoidedLanesOf(request)]);
    const thresholds = thresholdsOf(embedder.model.name, embedder.lowestCosine);

    // After the model has answered, which may take long: meanwhile the columns that a plan relies on may be dropped.
    const plan = await watch.time('plan', () => planSearch(parts, scope));
    const asked = { search: { ...scope, plan, query }, weights, thresholds };
    const { search, found, behind } = await this.#find(asked, watch, signal);
    const { collected, scored, labelled, fused, taken } = found;
    const { matrix } = labelled;
    const pool = found.pool.map(({ row, card }) => ({ row, card, score: fused.scores[row] as number }));
    const reranked = request.rerank
      ? await watch.time('rerank', () => rerank(parts, query, request.weights, pool, signal))
      : asFused(pool);
    const selected = await watch.time('select', () =>
      inSteps(selectSteps(reranked.ranked, request, scored.vectors), parts.pause, signal),
    );
    const { explanations, degraded } = await watch.time('explain', () => {
      const { floor } = thresholds;
      return explain(parts, scope, { matrix, fused, weights, query, hits: selected, floor }, signal);
    });

    const hits = selected.map(
      (hit, place): SearchHit => ({
        card: hit.card,
        rank: place + 1,
        score: hit.score,
        ...(explanations[place] as (typeof explanations)[number]),
        rerankLogit: hit.rerankLogit,
        ...layerOf(hit, found),
      }),
    );
    const added = [...new Set([...query.added, ...collected.added])];
    const receipt: SearchReceipt = {
      requestedTopK: request.topK,
      profile: request.profile,
      strategy: request.strategy,
      fusion: request.fusion,
      retrievers: collected.retrievers,
      filterPlan: search.plan.filterPlan,
      matchedByFilter: search.plan.matchedByFilter,
      candidates: matrix.cardIds.length,
      thresholdsTried: taken.tried,
      coversLabels: found.coversLabels,
      nothingClose: taken.nothingClose,
      layers: collected.trials,
      expandedQuery: added.length > 0 || isRespelled(request, query) ? [query.text, ...added].join(' ') : null,
      inferredConcepts: taken.nothingClose ? [] : labelled.inferredConcepts,
      rewrites: [],
      inferredLabels: taken.nothingClose ? [] : labelled.inferredLabels,
      embeddingModel: generation.modelKey,
      rerankModel: reranked.model,
      // Vectors that cannot be read for scores cannot be read for explanations either: named once.
      degraded: [
        ...scope.degraded,
        ...collected.degraded,
        ...(scored.degraded.length > 0 ? scored.degraded : degraded),
        ...behind,
        ...reranked.degraded,
      ],
      tookMs: watch.tookMs,
      stages: watch.stages,
    };
    const isUnfinished = request.strategy === 'LAYERED' && collected.trials.length < layersOf(request).length;
    const hasMore = isUnfinished || taken.admissible - found.gone.length > hits.length;
    return { hits, hasMore, receipt };
  }

  /** As {@link search}, with the same errors, up to the scores. */
  async rescorer(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<Rescorer> {
    const [rescorer] = await this.rescorers(viewer, { requests: [request] }, signal);
    return rescorer as Rescorer;
  }

  /** As {@link rescorer}, of each of several searches by the same text or card, which is less work than one by one. */
  async rescorers(viewer: Viewer, asked: RescorersRequest, signal: AbortSignal): Promise<readonly Rescorer[]> {
    const [first] = asked.requests;
    if (first === undefined) return [];
    return rescorersOf(this.#parts, await scopeOf(this.#parts, viewer, first, signal), asked, signal);
  }

  /**
   * Finds again for as long as PostgreSQL shows that the index lags behind and that the answer would suffer from it.
   */
  async #find(asked: FindInput, watch: Stopwatch, signal: AbortSignal): Promise<Answer> {
    let { search } = asked;
    for (let round = 1; ; round += 1) {
      const found = await find(this.#parts, { ...asked, search }, watch, signal);
      const next = await refreshed(this.#parts, search, found, signal);
      if (next === null) return { search, found, behind: [] };
      if (round === MAX_ROUNDS) return { search, found, behind: [BEHIND] };
      search = next;
    }
  }
}

/** An index that lags so far behind that this many rounds do not suffice is that of a mass change. */
const MAX_ROUNDS = 4;

const BEHIND: Degradation = {
  part: 'index',
  reason: 'it lags behind changes of many cards: there may be better hits than these',
};

interface Answer {
  readonly search: Retrievable;
  readonly found: Found;
  readonly behind: readonly Degradation[];
}

function isRespelled({ subject, keywords }: SearchRequest, { text }: Query): boolean {
  return subject.kind === 'text' && text !== [subject.text, ...keywords].join(' ');
}

/** The layer and the step that let a hit in. */
function layerOf(
  { row, card }: Reranked<{ readonly row: number; readonly card: Card; readonly score: number }>,
  { collected, fused, taken }: Found,
): Pick<SearchHit, 'layer' | 'threshold'> {
  const byScore = { layer: null, threshold: stepOf(fused.similarities[row] as number, taken.tried) };
  return collected.layerOf?.get(card.id) ?? byScore;
}
