import { within } from '../domain/async.js';
import { UnavailableError } from '../domain/errors.js';
import { byPerspective, byPerspectiveAsync, PERSPECTIVES } from '../domain/perspective.js';
import { recordId, type VectorStore } from '../domain/ports/collections.js';
import type { IndexLedger } from '../domain/ports/ledger.js';
import type {
  CardVectors,
  ComparableVectors,
  VectorCache,
  VectorSource,
  VectorsRead,
} from '../domain/ports/vectors.js';
import { inTurns, type Pause } from '../domain/steps.js';
import { PackedVectors } from './packed.js';

/** Retrievers may take a second; with this a search still answers within 2 s. */
const REFILL_DEADLINE_MS = 700;

export interface StoredVectorsOptions {
  /** Called with the numbers of cache hits and misses. */
  readonly onRead?: (found: number, missing: number) => void;
  /** For what the cache lacks; the default is that of searches. */
  readonly deadlineMs?: number;
}

/**
 * The vectors of indexed cards: from the local cache if it has the wanted revision or a later one, otherwise from
 * Chroma. A lost cache costs time, but never changes a score.
 */
export class StoredVectors implements VectorSource {
  constructor(
    private readonly cache: VectorCache,
    private readonly store: Pick<VectorStore, 'read'>,
    private readonly ledger: Pick<IndexLedger, 'indexed'>,
    private readonly options: StoredVectorsOptions = {},
  ) {}

  async of(
    tenantId: string,
    generation: number,
    cards: ReadonlyMap<string, number>,
    signal: AbortSignal,
    pause?: Pause,
  ): Promise<VectorsRead> {
    const found = new Map<string, ComparableVectors>();
    const cold: string[] = [];
    await inTurns(
      cards,
      ([cardId, revision]) => {
        const cached = this.cache.get(tenantId, generation, cardId);
        if (cached !== undefined && cached.revision >= revision) found.set(cardId, cached);
        else cold.push(cardId);
      },
      pause,
    );
    this.options.onRead?.(found.size, cold.length);
    if (cold.length === 0) return { vectors: found, failure: null };
    const ms = this.options.deadlineMs ?? REFILL_DEADLINE_MS;
    const late = (): Error => new UnavailableError('chroma', `no vectors within ${ms} ms`);
    try {
      const refilled = await within({ ms, late, signal }, (deadline) =>
        this.#refill(tenantId, generation, cold, deadline),
      );
      return { vectors: new Map([...found, ...refilled]), failure: null };
    } catch (error) {
      if (error instanceof UnavailableError) return { vectors: found, failure: error };
      throw error;
    }
  }

  async #refill(
    tenantId: string,
    generation: number,
    cardIds: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ComparableVectors>> {
    const removed = this.cache.watchRemovals(tenantId, generation);
    try {
      const read = await this.#read(tenantId, generation, cardIds, signal);
      // What was read may be too late, or older than what the indexer has put meanwhile.
      signal.throwIfAborted();
      const isLatest = ([cardId, { revision }]: [string, CardVectors]): boolean =>
        (this.cache.revision(tenantId, generation, cardId) ?? -1) <= revision;
      // The vectors of a card that was deleted meanwhile would stay in the cache.
      const kept = [...read].filter((entry) => !removed.has(entry[0]) && isLatest(entry));
      await this.cache.put(tenantId, generation, new Map(kept));
      return new Map(
        [...read].map(([cardId, vectors]): [string, ComparableVectors] => {
          const cached = this.cache.get(tenantId, generation, cardId);
          const isCurrent = cached !== undefined && cached.revision >= vectors.revision;
          return [cardId, isCurrent ? cached : PackedVectors.of(vectors)];
        }),
      );
    } finally {
      removed.end();
    }
  }

  /** Without cards of which a record is being written or lost. */
  async #read(
    tenantId: string,
    generation: number,
    cardIds: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, CardVectors>> {
    const indexed = await this.ledger.indexed(tenantId, generation, cardIds, signal);
    if (indexed.size === 0) return new Map();
    const records = await byPerspectiveAsync((perspective) => {
      const ids = [...indexed].flatMap(([cardId, card]) =>
        card.passages[perspective].map((_, passage) => recordId(cardId, passage)),
      );
      return this.store.read({ tenantId, generation, perspective }, ids, signal);
    });
    const read = new Map<string, CardVectors>();
    for (const [cardId, card] of indexed) {
      const passages = byPerspective((perspective) =>
        card.passages[perspective].map((contentHash, passage) => {
          const record = records[perspective].get(recordId(cardId, passage));
          return record?.contentHash === contentHash ? record.vector : undefined;
        }),
      );
      const whole = byPerspective((perspective) => passages[perspective].filter((vector) => vector !== undefined));
      // A record without the ledger's hash is being written or lost: omit the card.
      if (PERSPECTIVES.every((perspective) => whole[perspective].length === passages[perspective].length)) {
        read.set(cardId, { revision: card.revision, passages: whole });
      }
    }
    return read;
  }
}
