import type { Card } from '../domain/card.js';
import { PERSPECTIVES } from '../domain/perspective.js';
import type { CardFilter, Degradation, SearchRequest, SearchResult } from '../domain/search.js';
import type { Viewer } from '../domain/viewer.js';
import { BadInputError, NotFoundError, UnavailableError } from '../errors.js';
import {
  type CardFilterStore,
  type CardStore,
  type Embedder,
  type Generation,
  type IndexLedger,
  modelKey,
  type SearchEngine,
  type VectorReader,
  type VectorSource,
} from '../ports.js';
import { embedCard, embedText, type QueryVectors } from './embed.js';
import { fuse } from './fuse.js';
import { hydrate } from './hydrate.js';
import { EXACT_LIMIT, plan, restricts } from './plan.js';
import { recall } from './recall.js';
import { score } from './score.js';
import { Stopwatch } from './stopwatch.js';

/** What a search asks. */
export interface EngineParts {
  readonly cards: Pick<CardStore, 'byIds'>;
  readonly filters: CardFilterStore;
  readonly ledger: Pick<IndexLedger, 'indexed' | 'live'>;
  readonly embedder: Embedder;
  readonly reader: Pick<VectorReader, 'nearest'>;
  readonly stored: VectorSource;
  readonly log: { warn(facts: object, message: string): void };
}

/** The read path: plan, embed, recall, score, fuse, hydrate. Recall only proposes; every score is exact. */
export class Engine implements SearchEngine {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  async search(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    const { cards, filters, stored } = this.#parts;
    const watch = new Stopwatch();
    const degraded: Degradation[] = [];
    const generation = await this.#liveGeneration(viewer);
    const filter = withoutItself(request);

    const planned = await watch.time('plan', async () => {
      const match = restricts(request.filter)
        ? await filters.matching(viewer, filter, generation.number, EXACT_LIMIT)
        : null;
      return plan(request, match);
    });
    const queries = await watch.time('embed', () => this.#queries(viewer, request, generation, signal));
    const recalled = await watch.time('recall', () =>
      recall(this.#parts, { viewer, filter, generation }, planned, queries, signal),
    );
    degraded.push(...recalled.degraded);
    const scored = await watch.time('score', async () => {
      const read = await stored.of(viewer.tenantId, generation.number, recalled.candidates, signal);
      if (read.failure !== null) degraded.push(unread(recalled.candidates.size - read.vectors.size, read.failure));
      return score(read.vectors, queries);
    });
    const fused = await watch.time('fuse', () => {
      const ranked = fuse(scored, planned.lanes);
      const { minScore } = request;
      return minScore === null ? ranked : ranked.filter((card) => card.score >= minScore);
    });
    signal.throwIfAborted();
    const hits = await watch.time('hydrate', () => hydrate(cards, viewer, fused, request.topK));
    return {
      hits,
      receipt: {
        requestedTopK: request.topK,
        filterPlan: planned.filterPlan,
        matchedByFilter: planned.matchedByFilter,
        candidates: scored.length,
        embeddingModel: modelKey(this.#parts.embedder.model),
        degraded,
        tookMs: watch.tookMs,
        stages: watch.stages,
      },
    };
  }

  async #liveGeneration({ tenantId }: Viewer): Promise<Generation> {
    const live = await this.#parts.ledger.live(tenantId);
    if (live === null)
      throw new UnavailableError('index', 'it is being built for the first time; indexStatus tells how far it is');
    if (live.modelKey !== modelKey(this.#parts.embedder.model)) {
      throw new UnavailableError('index', `it is being built anew for the model ${this.#parts.embedder.model.name}`);
    }
    return live;
  }

  async #queries(
    viewer: Viewer,
    { subject, weights }: SearchRequest,
    generation: Generation,
    signal: AbortSignal,
  ): Promise<QueryVectors> {
    if (subject.kind === 'text') return embedText(this.#parts.embedder, subject.text, signal);
    const card: Card | undefined = (await this.#parts.cards.byIds(viewer, [subject.cardId])).get(subject.cardId);
    if (card === undefined) throw new NotFoundError('card', subject.cardId);
    const queries = await embedCard(this.#parts, card, generation, signal);
    const asked = PERSPECTIVES.filter((perspective) => weights[perspective] > 0);
    if (asked.every((perspective) => queries[perspective].length === 0)) {
      throw new BadInputError('cardId', `the card has no text for the perspective ${asked.join(' or ')}`);
    }
    return queries;
  }
}

/** A card never finds itself. */
function withoutItself({ subject, filter }: SearchRequest): CardFilter {
  if (subject.kind === 'text') return filter;
  return { ...filter, excludeCardIds: [...(filter.excludeCardIds ?? []), subject.cardId] };
}

function unread(count: number, failure: UnavailableError): Degradation {
  return { part: 'vector cache', reason: `${count} candidates could not be scored: ${failure.message}` };
}
