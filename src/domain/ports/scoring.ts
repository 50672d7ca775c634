/**
 * Ports: the pass over all cards of a tenant that scores each in the lanes of texts. What it reads is numbers in shared
 * memory, so that any thread can run it.
 */
import type { LaneKind } from '../search.js';

/** Parts of flat lists with a weight each, by term. */
export interface WeightedLists {
  /** Where each list starts and ends; a term has a list in each field of a {@link Bm25Scan}, one after the other. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly weights: Float64Array;
}

/** The postings of a field: doc numbers, ascending within a list, and frequencies. */
export interface ScannedPostings {
  readonly keys: Uint32Array;
  readonly counts: Uint16Array;
}

/** A query on a BM25 index, or on several as if the texts of a card were one: frequencies of a term add up. */
export interface Bm25Scan {
  readonly fields: readonly ScannedPostings[];
  /** By doc: length normalisation. */
  readonly norms: Float64Array;
  /** The query's terms, whose sum is a document's score. */
  readonly own: WeightedLists;
  /** Those that an expansion adds to `ownShare` of this sum; the better score counts. Null without one. */
  readonly added: WeightedLists | null;
  readonly ownShare: number;
}

export interface LexicalLane {
  readonly kind: Extract<LaneKind, 'LEXICAL'>;
  /** The highest score of a card. */
  readonly weight: number;
  /** The better score of these counts. */
  readonly scans: readonly Bm25Scan[];
}

/** Rows of a {@link ColumnSegment}: their numbers have 16 bits. */
export const SEGMENT = 65_536;

/** Vector columns of up to {@link SEGMENT} rows. */
export interface ColumnSegment {
  /** Lists of the values of a dimension that are not 0: the upper 16 bits are the row in the segment. */
  readonly cells: Uint32Array;
  /** By query vector: the columns that it has a value in, which is their weight. */
  readonly queries: readonly WeightedLists[];
}

/** The passages of a perspective, and the query vectors that they are compared with. */
export interface DensePassages {
  readonly vectors: number;
  /** The product of two equal vectors. */
  readonly one: number;
  /** By row: the number of its card; the rows of a card are neighbours. */
  readonly cardOf: Uint32Array;
  readonly rows: number;
  readonly segments: readonly ColumnSegment[];
}

export interface DenseLane {
  readonly kind: Extract<LaneKind, 'DENSE'>;
  /** The highest score of a card. */
  readonly weight: number;
  /** One object for all lanes of a pass that compare the same, which is done once. */
  readonly passages: DensePassages;
  /** For a card that has passages in all three, the mean of these two counts if it is greater; null: no others. */
  readonly orMeanOf: readonly [DensePassages, DensePassages] | null;
}

/** The lanes of a search, by the numbers that cards have in the vector columns. */
export interface ScoringPass {
  readonly lanes: readonly (DenseLane | LexicalLane)[];
  readonly cards: number;
  /** By doc number of the lexical index: the card's number; below 0 for none. */
  readonly numbers: Int32Array;
  /** By card number: a bit for each of LANES that the card has a text in. */
  readonly laneBits: Uint16Array;
  /** By the bits of the lanes of texts, the first of LANES: what a card's sum over all lanes is multiplied by. */
  readonly shares: Float64Array;
}

export interface PassScores {
  /** By card number: 0 .. 1, NaN for a card without a text in any lane. */
  readonly byCard: Float64Array;
  /** By lane of the pass, in ms. */
  readonly tookMs: readonly number[];
}

/** A pass, and what becomes of its scores. */
export interface ScoringTask<P extends ScoringPass, T> {
  /** About how many cards it is over. */
  readonly cards: number;
  /** Called when its turn has come. */
  readonly make: () => P;
  /** Called once with the scores, which are valid until it returns. */
  readonly read: (scores: PassScores, pass: P) => T;
}

/** Runs passes. Their arrays may change before the scores are read: the caller tells by its own count of changes. */
export interface Scorer {
  /** Resolves to what `read` returns; rejects with the signal's reason once it aborts. */
  run<P extends ScoringPass, T>(task: ScoringTask<P, T>, signal: AbortSignal): Promise<T>;
  /** The same at once, in this thread. */
  runHere<P extends ScoringPass, T>(task: ScoringTask<P, T>): T;
}
