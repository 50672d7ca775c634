/** The vectors of cards, wherever they are at hand. */

import type { UnavailableError } from '../errors.js';
import type { ByPerspective, Perspective } from '../perspective.js';
import type { Generation } from './ledger.js';

/** A passage's vector (`Float32Array[dims]`, unit length). */
export interface PassageVector {
  readonly vector: Float32Array;
}

/** A passage's vector and the hash of the text that it stands for. */
export interface StoredPassage extends PassageVector {
  readonly contentHash: string;
}

/** A passage as a collection holds it. */
export interface StoredRecord extends StoredPassage {
  /** The revision of the card that the record's metadata are of. */
  readonly revision: number;
}

/** The vectors of one card's passages, in order, by perspective, and the revision of the card that they are of. */
export interface CardVectors {
  readonly revision: number;
  readonly passages: ByPerspective<readonly PassageVector[]>;
}

/** A card's vectors in a form that is compared as it is; `passages` unpacks them anew whenever it is read. */
export interface ComparableVectors extends CardVectors {
  /**
   * The cosine similarity, 0 .. 1, of the best pair of a query vector (unit length) and a passage of the perspective; null
   * where there is no such pair.
   */
  similarity(perspective: Perspective, queries: readonly Float32Array[]): number | null;
}

/** All vectors of one generation that are at hand, in a form that is compared with a query at once. */
export interface VectorColumns {
  /** How many cards there are. */
  readonly size: number;
  /** How often a card was set or deleted so far; a card's number changes with it. */
  readonly changes: number;
  /** By number; '' where there is no card. */
  readonly cardIds: readonly string[];
  /** Whether the card of this number has a passage of the perspective. */
  has(perspective: Perspective, card: number): boolean;
  /**
   * Adds to `sums`, by number, `weight` times the cosine similarity, 0 .. 1, of the best pair of a query vector and a passage of
   * the perspective, as far as 32-bit values tell; nothing where there is no such pair.
   */
  addSimilarities(
    perspective: Perspective,
    query: { readonly vectors: readonly Float32Array[]; readonly weight: number },
    sums: Float64Array,
  ): void;
}

/** Where all vectors of a generation may be at hand together. */
export interface VectorColumnsSource {
  /** Those that are here; null where they are not such that they could be compared at once. */
  columns(tenantId: string, generation: number): VectorColumns | null;
}

/** The vectors of indexed cards, wherever they are kept. */
export interface VectorSource {
  /** The vectors of `cards` (card id -> indexed revision). */
  of(
    tenantId: string,
    generation: number,
    cards: ReadonlyMap<string, number>,
    signal: AbortSignal,
  ): Promise<VectorsRead>;
}

/** What came of asking for vectors. */
export interface VectorsRead {
  /** A card whose records are lost, or being written just now, is missing. */
  readonly vectors: ReadonlyMap<string, ComparableVectors>;
  /** Why cards are missing that were not at hand: the server that has them did not answer. Null where that is not so. */
  readonly failure: UnavailableError | null;
}

/** The local copy of the stored vectors, for exact scores. Rebuildable from Chroma. */
export interface VectorCache {
  get(tenantId: string, generation: number, cardId: string): ComparableVectors | undefined;
  put(tenantId: string, generation: number, entries: ReadonlyMap<string, CardVectors>): Promise<void>;
  remove(tenantId: string, generation: number, cardIds: readonly string[]): Promise<void>;
  drop(tenantId: string, generation: number): Promise<void>;
  /** Those of which there is anything. */
  generations(): readonly Pick<Generation, 'tenantId' | 'number'>[];
  close(): Promise<void>;
}
