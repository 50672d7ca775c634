import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import type { VectorColumns } from '../domain/ports/vectors.js';
import { grown, Scratch } from '../lexical/arrays.js';
import { Column } from './column.js';
import type { PackedVectors } from './packed.js';

/** The passages of one perspective: a row for each, a column for each dimension in which any of them is not 0. */
interface Passages {
  /** By row: the number of the card; the passages of a card are neighbours. */
  cardOf: Uint32Array;
  rows: number;
  /** By dimension. */
  readonly columns: (Column | undefined)[];
}

/** A value of 1: values have 16 bits, and the product of two unit vectors fits into 32. */
const ONE = 32_767;

/** Numbers of deleted cards that are kept before all cards are renumbered, beside as many as there are cards. */
const SPARE = 1_000;

/**
 * The vectors of many cards by dimension: of sparse vectors, as the built-in embedder's, a query reads only the values that both
 * sides have. `npm run bench -- costs` prints what that takes beside a query of Chroma.
 *
 * A card that is set again gets a new number; when as many numbers are unused as are in use, all cards are renumbered.
 */
export class SparseColumns implements VectorColumns {
  readonly cardIds: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** The cards whose vectors are dense. */
  readonly #dense = new Set<string>();
  /** By number: a bit for each perspective that the card has a passage of. */
  readonly #texts: number[] = [];
  readonly #passages: ByPerspective<Passages> = byPerspective(() => ({
    cardOf: new Uint32Array(64),
    rows: 0,
    columns: [],
  }));
  readonly #products = new Scratch(Int32Array);
  readonly #nearest = new Scratch(Int32Array);
  #changes = 0;

  get size(): number {
    return this.#numbers.size;
  }

  get changes(): number {
    return this.#changes;
  }

  /** How many cards have dense vectors, which take more memory here than as they are. */
  get dense(): number {
    return this.#dense.size;
  }

  /** About the memory that the columns take. */
  get bytes(): number {
    return PERSPECTIVES.reduce((sum, perspective) => {
      const { columns } = this.#passages[perspective];
      return sum + columns.reduce((all, column) => all + (column?.bytes ?? 0), 0);
    }, 0);
  }

  set(cardId: string, vectors: PackedVectors): void {
    this.delete(cardId);
    this.#changes += 1;
    const card = this.cardIds.length;
    this.cardIds.push(cardId);
    this.#numbers.set(cardId, card);
    if (vectors.isDense) this.#dense.add(cardId);
    this.#texts.push(PERSPECTIVES.reduce((bits, one, place) => bits | (vectors.count(one) > 0 ? 1 << place : 0), 0));
    for (const perspective of PERSPECTIVES) {
      const passages = this.#passages[perspective];
      const { columns, rows: first } = passages;
      passages.rows += vectors.count(perspective);
      if (passages.rows > passages.cardOf.length) {
        passages.cardOf = grown(passages.cardOf, Math.ceil(1.3 * passages.rows));
      }
      passages.cardOf.fill(card, first, passages.rows);
      vectors.forEachValue(perspective, (passage, dimension, value) => {
        const rounded = Math.round(ONE * value);
        if (rounded === 0) return;
        columns[dimension] ??= new Column();
        columns[dimension].add(first + passage, rounded);
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
    this.#changes += 1;
    if (this.cardIds.length > 2 * this.#numbers.size + SPARE) this.#renumber();
  }

  holds(cardId: string): boolean {
    return this.#numbers.has(cardId);
  }

  has(perspective: Perspective, card: number): boolean {
    return (((this.#texts[card] as number) >> PERSPECTIVES.indexOf(perspective)) & 1) === 1;
  }

  addSimilarities(
    perspective: Perspective,
    { vectors, weight }: { readonly vectors: readonly Float32Array[]; readonly weight: number },
    sums: Float64Array,
  ): void {
    if (vectors.length === 0) return;
    const { cardOf, rows, columns } = this.#passages[perspective];
    // By card: the product with its nearest passage.
    const nearest = this.#nearest.zeros(this.cardIds.length);
    for (const vector of vectors) {
      const products = this.#products.zeros(rows);
      for (let dimension = 0; dimension < vector.length; dimension++) {
        const value = Math.round(ONE * (vector[dimension] as number));
        if (value !== 0) columns[dimension]?.addTo(products, value);
      }
      for (let row = 0; row < rows; row++) {
        const card = cardOf[row] as number;
        // The greater one, without a branch: half of them would be mispredicted.
        const lead = (nearest[card] as number) - (products[row] as number);
        nearest[card] = (nearest[card] as number) - (lead & (lead >> 31));
      }
    }
    const factor = weight / (ONE * ONE);
    for (let card = 0; card < nearest.length; card++) {
      const similarity = factor * (nearest[card] as number);
      // Rounding may lift the product of equal unit vectors above 1.
      sums[card] = (sums[card] as number) + (similarity > weight ? weight : similarity);
    }
  }

  #renumber(): void {
    const texts = this.#texts.slice();
    const ids = this.cardIds.slice();
    const numbers = new Map<number, number>();
    this.cardIds.length = 0;
    this.#texts.length = 0;
    ids.forEach((id, old) => {
      if (id === '') return;
      numbers.set(old, this.cardIds.length);
      this.#numbers.set(id, this.cardIds.length);
      this.cardIds.push(id);
      this.#texts.push(texts[old] as number);
    });
    for (const perspective of PERSPECTIVES) {
      const passages = this.#passages[perspective];
      const { cardOf, columns } = passages;
      const rowOf = new Int32Array(passages.rows).fill(-1);
      let rows = 0;
      for (let row = 0; row < passages.rows; row++) {
        const card = numbers.get(cardOf[row] as number);
        if (card === undefined) continue;
        rowOf[row] = rows;
        cardOf[rows++] = card;
      }
      passages.rows = rows;
      columns.forEach((column, dimension) => {
        columns[dimension] = column?.renumbered(rowOf);
      });
    }
  }
}
