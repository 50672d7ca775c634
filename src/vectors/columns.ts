import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import type { VectorColumns } from '../domain/ports/vectors.js';
import { Scratch } from '../lexical/scratch-buffer.js';
import { Column } from './column.js';
import type { PackedVectors } from './packed.js';

/** The passages of one perspective: a row each, and a column for each dimension that any of them has a value in. */
interface Passages {
  /** By row: the number of the card; the passages of a card lie side by side. */
  cardOf: Uint32Array;
  rows: number;
  /** By dimension. */
  readonly columns: (Column | undefined)[];
}

/** Places that may be given up before they are given back, beside as many as there are cards. */
const SPARE = 1_000;

/**
 * The vectors of many cards by dimension: where most values are 0, as with the built-in embedder, comparing a query with every
 * card looks at those values alone that both have. `npm run bench -- costs` prints what that takes beside a query of Chroma's.
 *
 * A card that is set again has a new number; when as many numbers are given up as are in use, all are given anew.
 */
export class SparseColumns implements VectorColumns {
  readonly cardIds: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** The cards whose vectors are not mostly zeros. */
  readonly #dense = new Set<string>();
  /** By number: a bit for each perspective that the card has a passage of. */
  readonly #texts: number[] = [];
  readonly #passages: ByPerspective<Passages> = byPerspective(() => ({
    cardOf: new Uint32Array(64),
    rows: 0,
    columns: [],
  }));
  readonly #best = new Scratch(Float32Array);
  readonly #products = new Scratch(Float32Array);
  #changes = 0;

  get size(): number {
    return this.#numbers.size;
  }

  get changes(): number {
    return this.#changes;
  }

  /** How many of the cards have vectors that are not mostly zeros: they take more room than they would as they are. */
  get dense(): number {
    return this.#dense.size;
  }

  /** The size of the columns; ids come on top. */
  get bytes(): number {
    return PERSPECTIVES.reduce((sum, perspective) => {
      const { columns } = this.#passages[perspective];
      return sum + columns.reduce((all, column) => all + (column?.bytes ?? 0), 0);
    }, 0);
  }

  /** Sets a card's vectors, whether it was here before or not. */
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
      if (passages.rows > passages.cardOf.length) passages.cardOf = longer(passages.cardOf, passages.rows);
      passages.cardOf.fill(card, first, passages.rows);
      vectors.forEachValue(perspective, (passage, dimension, value) => {
        if (value === 0) return;
        columns[dimension] ??= new Column();
        columns[dimension].add(first + passage, value);
      });
    }
  }

  /** Without effect where the card is not here. */
  delete(cardId: string): void {
    const card = this.#numbers.get(cardId);
    if (card === undefined) return;
    this.#numbers.delete(cardId);
    this.#dense.delete(cardId);
    this.cardIds[card] = '';
    this.#changes += 1;
    if (this.cardIds.length > 2 * this.#numbers.size + SPARE) this.#renumber();
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
    const best = this.#best.of(rows);
    vectors.forEach((vector, place) => {
      const products = (place === 0 ? best : this.#products.of(rows)).fill(0);
      for (let dimension = 0; dimension < vector.length; dimension++) {
        const value = vector[dimension] as number;
        if (value !== 0) columns[dimension]?.addTo(products, value);
      }
      if (place > 0) keepGreater(best, products);
    });
    addBest({ best, cardOf, weight }, sums);
  }

  #renumber(): void {
    const numbers = new Map<number, number>();
    const ids = this.cardIds.filter((id) => id !== '');
    const texts = this.#texts.filter((_, card) => this.cardIds[card] !== '');
    this.cardIds.forEach((id, old) => {
      if (id !== '') numbers.set(old, numbers.size);
    });
    this.cardIds.length = 0;
    this.#texts.length = 0;
    ids.forEach((id, card) => {
      this.#numbers.set(id, card);
      this.cardIds.push(id);
      this.#texts.push(texts[card] as number);
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
        columns[dimension] = column?.moved(rowOf);
      });
    }
  }
}

function longer(numbers: Uint32Array, least: number): Uint32Array {
  const room = new Uint32Array(Math.ceil(1.3 * least));
  room.set(numbers);
  return room;
}

function keepGreater(best: Float32Array, others: Float32Array): void {
  for (let row = 0; row < best.length; row++) {
    if ((others[row] as number) > (best[row] as number)) best[row] = others[row] as number;
  }
}

/** What the passages of one perspective came to. */
interface BestProducts {
  /** By row. */
  readonly best: Float32Array;
  readonly cardOf: Uint32Array;
  readonly weight: number;
}

/** Adds the greatest product of each card's passages. */
function addBest({ best, cardOf, weight }: BestProducts, sums: Float64Array): void {
  const rows = best.length;
  for (let row = 0; row < rows; row++) {
    const card = cardOf[row] as number;
    let nearest = best[row] as number;
    while (row + 1 < rows && cardOf[row + 1] === card) {
      row += 1;
      if ((best[row] as number) > nearest) nearest = best[row] as number;
    }
    // Rounding may lift the product of equal unit vectors above 1.
    if (nearest > 0) sums[card] = (sums[card] as number) + weight * (nearest > 1 ? 1 : nearest);
  }
}
