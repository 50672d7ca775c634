import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import type { VectorColumns } from '../ports.js';
import { Scratch } from '../scratch.js';
import { Column } from './column.js';
import type { PackedVectors } from './packed.js';

/** The passages of one perspective: a row each, and a column for each dimension that any of them has a value in. */
interface Passages {
  /** By row: the number of the card. */
  readonly cardOf: number[];
  /** By dimension. */
  readonly columns: (Column | undefined)[];
}

/** Places that may be given up before they are given back, beside as many as there are cards. */
const SPARE = 1_000;

/**
 * The vectors of many cards by dimension: where most values are 0, as with the built-in embedder, comparing a query with every
 * card looks at those values alone that both have. `npm run bench:costs` prints what that takes beside a query of Chroma's.
 *
 * A card that is set again has a new number; when as many numbers are given up as are in use, all are given anew.
 */
export class SparseColumns implements VectorColumns {
  readonly cardIds: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #passages: ByPerspective<Passages> = byPerspective(() => ({ cardOf: [], columns: [] }));
  readonly #best = new Scratch();
  readonly #sums = new Scratch();
  #changes = 0;

  get size(): number {
    return this.#numbers.size;
  }

  get changes(): number {
    return this.#changes;
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
    for (const perspective of PERSPECTIVES) {
      const { cardOf, columns } = this.#passages[perspective];
      const first = cardOf.length;
      for (let passage = vectors.count(perspective); passage > 0; passage--) cardOf.push(card);
      vectors.forEachValue(perspective, (passage, dimension, value) => {
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
    this.cardIds[card] = '';
    this.#changes += 1;
    if (this.cardIds.length > 2 * this.#numbers.size + SPARE) this.#renumber();
  }

  similarities(perspective: Perspective, queries: readonly Float32Array[]): Float64Array {
    const { cardOf, columns } = this.#passages[perspective];
    const best = this.#best.of(this.cardIds.length).fill(Number.NaN);
    for (const query of queries) {
      const sums = this.#sums.of(cardOf.length).fill(0);
      for (let dimension = 0; dimension < query.length; dimension++) {
        const value = query[dimension] as number;
        if (value !== 0) columns[dimension]?.addTo(sums, value);
      }
      for (let row = 0; row < sums.length; row++) {
        const card = cardOf[row] as number;
        const sum = sums[row] as number;
        // Rounding may lift the product of equal unit vectors above 1.
        const similarity = sum > 1 ? 1 : sum > 0 ? sum : 0;
        if (!(similarity <= (best[card] as number))) best[card] = similarity;
      }
    }
    return best;
  }

  #renumber(): void {
    const numbers = new Map<number, number>();
    const ids = this.cardIds.filter((id) => id !== '');
    this.cardIds.forEach((id, old) => {
      if (id !== '') numbers.set(old, numbers.size);
    });
    this.cardIds.length = 0;
    for (const id of ids) {
      this.#numbers.set(id, this.cardIds.length);
      this.cardIds.push(id);
    }
    for (const perspective of PERSPECTIVES) {
      const { cardOf, columns } = this.#passages[perspective];
      const kept = cardOf.map((card) => numbers.get(card));
      let rows = 0;
      const rowOf = kept.map((card) => (card === undefined ? -1 : rows++));
      cardOf.length = 0;
      for (const card of kept) if (card !== undefined) cardOf.push(card);
      columns.forEach((column, dimension) => {
        columns[dimension] = column?.moved(rowOf);
      });
    }
  }
}
