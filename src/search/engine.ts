import type { Card } from '../domain/card.js';
import { PERSPECTIVES } from '../domain/perspective.js';
import type { CardFilter, Degradation, SearchRequest, SearchResult } from '../domain/search.js';
import type { Viewer } from '../domain/viewer.js';
import { BadInputError, NotFoundError, UnavailableError } from '../errors.js';
import type { LexicalIndexes } from '../lexical/indexes.js';
import {
  type CardFilterStore,
  type CardStore,
  type Embedder,
  type EmbedderSource,
  type Generation,
  type IndexLedger,
  type SearchEngine,
  type VectorReader,
  type VectorSource,
} from '../ports.js';
import { embedCard, embedText } from './embed.js';
import { fuse } from './fuse.js';
import { hydrate } from './hydrate.js';
import { infer } from './infer.js';
import { EXACT_LIMIT, plan, restricts } from './plan.js';
import { type Query, queryOfCard, queryOfText } from './query.js';
import { recall } from './recall.js';
import { refreshWords } from './refresh.js';
import { score } from './score.js';
import { Stopwatch } from './stopwatch.js';

/** What a search asks. */
export interface EngineParts {
  readonly cards: Pick<CardStore, 'byIds'>;
  readonly filters: CardFilterStore;
  readonly ledger: Pick<IndexLedger, 'cards' | 'indexed' | 'live'>;
  readonly embedders: Pick<EmbedderSource, 'of'>;
  readonly reader: Pick<VectorReader, 'nearest'>;
  readonly stored: VectorSource;
  readonly lexical: Pick<LexicalIndexes, 'of' | 'set'>;
  readonly log: { warn(facts: object, message: string): void };
}

interface Live {
  readonly generation: Generation;
  readonly embedder: Embedder;
}

/** The read path: plan, embed, recall, score, infer, fuse, hydrate. Recall only proposes; every score is exact. */
export class Engine implements SearchEngine {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  async search(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    const { cards, filters, stored, lexical } = this.#parts;
    const index = lexical.of(viewer.tenantId);
    const watch = new Stopwatch();
    const degraded: Degradation[] = [];
    const { generation, embedder } = await this.#live(viewer);
    const filter = withoutItself(request);

    const planned = await watch.time('plan', async () => {
      const match = restricts(request.filter)
        ? await filters.matching(viewer, filter, generation.number, EXACT_LIMIT)
        : null;
      return plan(request, match);
    });
    const query = await watch.time('embed', () => this.#query(viewer, request, { generation, embedder }, signal));
    const recalled = await watch.time('recall', () =>
      recall({ ...this.#parts, index }, { viewer, filter, generation }, planned, query, signal),
    );
    degraded.push(...recalled.degraded);
    const scored = await watch.time('score', async () => {
      const { candidates } = recalled;
      await refreshWords(this.#parts, viewer.tenantId, candidates);
      const { vectors, failure } = await stored.of(viewer.tenantId, generation.number, candidates, signal);
      if (failure !== null) degraded.push(unread(candidates.size - vectors.size, failure));
      return score([...candidates.keys()], { vectors, index }, query);
    });
    const inferred = await watch.time('infer', () => infer(scored, planned.lanes, query, index));
    const fused = await watch.time('fuse', () => {
      const ranked = fuse(inferred.cards, planned.lanes);
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
        inferredConcepts: inferred.inferredConcepts,
        embeddingModel: generation.modelKey,
        degraded,
        tookMs: watch.tookMs,
        stages: watch.stages,
      },
    };
  }

  /** The index that answers, and the model that its vectors are of: a query is embedded by that one and no other. */
  async #live({ tenantId }: Viewer): Promise<Live> {
    const generation = await this.#parts.ledger.live(tenantId);
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
    { subject, weights, lexicalShare }: SearchRequest,
    { generation, embedder }: Live,
    signal: AbortSignal,
  ): Promise<Query> {
    const { cards, lexical } = this.#parts;
    const index = lexical.of(viewer.tenantId);
    if (subject.kind === 'text') {
      const query = queryOfText(index, subject.text, await embedText(embedder, subject.text, signal));
      if (lexicalShare === 1 && query.features.question.length === 0) {
        throw new BadInputError(
          'text',
          'has only words that every text has, and a lexicalShare of 1 asks nothing else',
        );
      }
      return query;
    }
    const card: Card | undefined = (await cards.byIds(viewer, [subject.cardId])).get(subject.cardId);
    if (card === undefined) throw new NotFoundError('card', subject.cardId);
    const vectors = await embedCard({ ...this.#parts, embedder }, card, generation, signal);
    const asked = PERSPECTIVES.filter((perspective) => weights[perspective] > 0);
    if (asked.every((perspective) => vectors[perspective].length === 0)) {
      throw new BadInputError('cardId', `the card has no text for the perspective ${asked.join(' or ')}`);
    }
    return queryOfCard(index, card, vectors);
  }
}

/** A card never finds itself. */
function withoutItself({ subject, filter }: SearchRequest): CardFilter {
  if (subject.kind === 'text') return filter;
  return { ...filter, excludeCardIds: [...(filter.excludeCardIds ?? []), subject.cardId] };
}

function unread(count: number, failure: UnavailableError): Degradation {
  return {
    part: 'vector cache',
    reason: `${count} candidates could not be compared by their vectors: ${failure.message}`,
  };
}
