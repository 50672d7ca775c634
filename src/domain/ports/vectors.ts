/** Ports: the vectors of cards, from the cache or from Chroma. */

import type { UnavailableError } from '../errors.js';
import type { ByPerspective, Perspective } from '../perspective.js';
import type { Pause } from '../steps.js';
import type { Generation } from './ledger.js';
import type { DensePassages } from './scoring.js';

/** A record of a passage. */
export interface StoredRecord {
  readonly contentHash: string;
  /** `Float32Array[dims]`, unit length. */
  readonly vector: Float32Array;
  /** Revision of the card in the record's metadata. */
  readonly revision: number;
}

/** The vectors of one card's passages (unit length), in order, by perspective, and the card's revision. */
export interface CardVectors {
  readonly revision: number;
  readonly passages: ByPerspective<readonly Float32Array[]>;
}

/** A card's vectors in packed form; `passages` unpacks them on every read. */
export interface ComparableVectors extends CardVectors {
  /**
   * The cosine similarity, 0 .. 1, of the best pair of a query vector (unit length) and a passage of the perspective;
   * null if there is no such pair.
   */
  similarity(perspective: Perspective, queries: readonly Float32Array[]): number | null;
}

/** All cached vectors of one generation, dimension-major, for exact kNN. */
export interface VectorColumns {
  readonly size: number;
  /** Number of sets and deletions so far; each may change doc numbers. */
  readonly changes: number;
  /** The numbers of the cards that were set or deleted after so many changes; null if that is not known any more. */
  changedSince(changes: number): ReadonlySet<number> | null;
  /** Undefined if the card has no columns. */
  numberOf(cardId: string): number | undefined;
  /** By doc number; '' if there is no card. */
  readonly cardIds: readonly string[];
  /** Whether the card with this doc number has a passage of the perspective. */
  has(perspective: Perspective, card: number): boolean;
  /** What a scoring pass compares with the query, in values of 16 bits; valid until the next change. */
  passages(perspective: Perspective, queries: readonly Float32Array[]): DensePassages;
}

export interface VectorColumnsSource {
  /** The columns of a generation; null if it has none. */
  columns(tenantId: string, generation: number): VectorColumns | null;
}

/** Vector columns in memory, by tenant; those of all generations together. */
export interface TenantColumns {
  /** Builds the columns from the cache; no-op if they are in memory. */
  load(tenantId: string): Promise<void>;
  /** Removes them from memory; until they are loaded again there are none. */
  unload(tenantId: string): void;
  bytes(tenantId: string): number;
}

export interface VectorSource {
  /** The vectors of `cards` (card id -> the least revision that will do); thousands are looked up in parts. */
  of(
    tenantId: string,
    generation: number,
    cards: ReadonlyMap<string, number>,
    signal: AbortSignal,
    pause?: Pause,
  ): Promise<VectorsRead>;
}

export interface VectorsRead {
  /** Cards whose records are lost, or just being written, are missing. */
  readonly vectors: ReadonlyMap<string, ComparableVectors>;
  /** Set if cards are missing because Chroma did not answer. */
  readonly failure: UnavailableError | null;
}

/** Which keys were changed since the watch began. */
export interface KeyWatch {
  /** Whether the card, or its whole generation, was. */
  has(cardId: string): boolean;
  end(): void;
}

/** Local cache of the stored vectors, for exact scores. Rebuildable from Chroma. */
export interface VectorCache {
  get(tenantId: string, generation: number, cardId: string): ComparableVectors | undefined;
  /** The revision of the card's vectors, without reading them; undefined if it has none. */
  revision(tenantId: string, generation: number, cardId: string): number | undefined;
  /** The cards of the generation with vectors on disk, read a thousand at a time. */
  cardIds(tenantId: string, generation: number): Iterable<string>;
  /** From now on, which cards are removed from the generation: what was read before may be of deleted cards. */
  watchRemovals(tenantId: string, generation: number): KeyWatch;
  put(tenantId: string, generation: number, entries: ReadonlyMap<string, CardVectors>): Promise<void>;
  remove(tenantId: string, generation: number, cardIds: readonly string[]): Promise<void>;
  drop(tenantId: string, generation: number): Promise<void>;
  /** Generations with any cached vector. */
  generations(): readonly Pick<Generation, 'tenantId' | 'number'>[];
}
