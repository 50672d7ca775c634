import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import { type DensePassages, SEGMENT, type WeightedLists } from '../domain/ports/scoring.js';
import type { VectorColumns } from '../domain/ports/vectors.js';
import { grown, sharedArray } from '../lexical/arrays.js';
import { ChangeLog } from '../lexical/change-log.js';
import { ColumnSegment } from './column-segment.js';
import type { PackedVectors } from './packed.js';

/** The passages of one perspective: a row each, and a column for each dimension in which any value is not 0. */
interface Passages {
  /** Card number by row; the passages of a card are adjacent. */
  cardOf: Uint32Array;
  rows: number;
  segments: ColumnSegment[];
}

/** Represents 1: values have 16 bits, and the product of two unit vectors fits into 32. */
const ONE = 32_767;

/**
 * From this share of dense cards on, vectors are a semantic model's, for which columns are no faster. The built-in
 * embedder needs some 560 different features for a dense vector: then 512 x (1 - e^(-560 / 512)) of its 512 dimensions,
 * two thirds, are not 0.
 */
const DENSE_SHARE = 0.05;

/** Unused numbers are tolerated up to this count plus the number of cards. */
const SPARE = 1_000;

/**
 * The vectors of many cards by dimension: with sparse vectors, as the built-in embedder's, a query reads only values of
 * dimensions that it has too. `npm run bench -- costs` compares the time with a query of Chroma.
 *
 * A card that is set again gets a new number, and the values of its old one stay: see {@link isScattered}.
 */
export class SparseColumns implements VectorColumns {
  readonly cardIds: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #dense = new Set<string>();
  /** By card number: a bit for each perspective with a passage. */
  readonly #texts: number[] = [];
  readonly #passages: ByPerspective<Passages> = byPerspective(() => ({
    cardOf: sharedArray(Uint32Array, 64),
    rows: 0,
    segments: [],
  }));
  readonly #changes = new ChangeLog<number>();

  get size(): number {
    return this.#numbers.size;
  }

  get changes(): number {
    return this.#changes.count;
  }

  changedSince(changes: number): ReadonlySet<number> | null {
    return this.#changes.since(changes);
  }

  numberOf(cardId: string): number | undefined {
    return this.#numbers.get(cardId);
  }

  /** Number of cards with dense vectors, which take more memory as columns than as rows. */
  get dense(): number {
    return this.#dense.size;
  }

  get isDense(): boolean {
    return this.dense > DENSE_SHARE * this.size;
  }

  /** Whether so many numbers are unused that the columns should be built anew. */
  get isScattered(): boolean {
    return this.cardIds.length > 2 * this.size + SPARE;
  }

  get bytes(): number {
    return PERSPECTIVES.reduce((sum, perspective) => {
      const { segments, cardOf } = this.#passages[perspective];
      return sum + segments.reduce((all, { bytes }) => all + bytes, cardOf.byteLength);
    }, 0);
  }

  set(cardId: string, vectors: PackedVectors): void {
    this.delete(cardId);
    const card = this.cardIds.length;
    this.#changes.add(card);
    this.cardIds.push(cardId);
    this.#numbers.set(cardId, card);
    if (vectors.isDense) this.#dense.add(cardId);
    this.#texts.push(PERSPECTIVES.reduce((bits, one, place) => bits | (vectors.count(one) > 0 ? 1 << place : 0), 0));
    for (const perspective of PERSPECTIVES) {
      const passages = this.#passages[perspective];
      const { rows: first } = passages;
      passages.rows += vectors.count(perspective);
      if (passages.rows > passages.cardOf.length) {
        passages.cardOf = grown(passages.cardOf, Math.ceil(1.3 * passages.rows));
      }
      passages.cardOf.fill(card, first, passages.rows);
      vectors.forEachValue(perspective, (passage, dimension, value) => {
        const rounded = Math.round(ONE * value);
        if (rounded === 0) return;
        addTo(passages.segments, first + passage, dimension, rounded);
      });
    }
  }

  /** No-op if the card is not here. */
  delete(cardId: string): void {
    const card = this.#numbers.get(cardId);
    if (card === undefined) return;
    this.#numbers.delete(cardId);
    this.#dense.delete(cardId);
    this.cardIds[card] = '';
    this.#changes.add(card);
  }

  holds(cardId: string): boolean {
    return this.#numbers.has(cardId);
  }

  has(perspective: Perspective, card: number): boolean {
    return (((this.#texts[card] as number) >> PERSPECTIVES.indexOf(perspective)) & 1) === 1;
  }

  passages(perspective: Perspective, vectors: readonly Float32Array[]): DensePassages {
    const { cardOf, rows, segments } = this.#passages[perspective];
    const queries = vectors.map(roundedVector);
    return {
      vectors: vectors.length,
      one: ONE * ONE,
      cardOf,
      rows,
      segments: segments.map((segment) => ({
        cells: segment.cells,
        queries: queries.map((query) => listsOf(segment, query)),
      })),
    };
  }
}

function addTo(segments: ColumnSegment[], row: number, dimension: number, value: number): void {
  const place = Math.floor(row / SEGMENT);
  while (segments.length <= place) {
    segments.at(-1)?.seal();
    segments.push(new ColumnSegment());
  }
  (segments[place] as ColumnSegment).add(dimension, row % SEGMENT, value);
}

/** The values of a vector that are not 0, with 16 bits. */
interface RoundedVector {
  readonly dimensions: readonly number[];
  readonly weights: Float64Array;
}

function roundedVector(vector: Float32Array): RoundedVector {
  const dimensions: number[] = [];
  const weights: number[] = [];
  for (let at = 0; at < vector.length; at++) {
    const weight = Math.round(ONE * (vector[at] as number));
    if (weight === 0) continue;
    dimensions.push(at);
    weights.push(weight);
  }
  return { dimensions, weights: new Float64Array(weights) };
}

function listsOf(segment: ColumnSegment, { dimensions, weights }: RoundedVector): WeightedLists {
  return {
    starts: Uint32Array.from(dimensions, (dimension) => segment.start(dimension)),
    ends: Uint32Array.from(dimensions, (dimension) => segment.end(dimension)),
    weights,
  };
}
