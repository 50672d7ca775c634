import {
  type ColumnSegment,
  type DenseLane,
  type DensePassages,
  SEGMENT,
  type WeightedLists,
} from '../domain/ports/scoring.js';
import { Scratch } from '../lexical/arrays.js';

/** The similarity of a card without a passage. */
const NONE = -1;

/** Adds dense lanes to sums: the best pair of a query vector and a passage counts. */
export class DenseScoring {
  readonly #products = new Scratch(Int32Array);
  readonly #means = new Scratch(Int32Array);
  readonly #rooms: Scratch<Int32Array>[] = [];
  /** Of the current pass: the lane of errors compares questions and solutions, as their own lanes do. */
  readonly #similarities = new Map<DensePassages, Int32Array>();

  /** After each pass: forgets its similarities, and with them the columns of the tenant. */
  end(): void {
    this.#similarities.clear();
  }

  /**
   * Adds `weight` times the similarity, 0 .. 1, of each card. In lanes with `orMeanOf` that is the mean of the two
   * others, if it is greater and the card has passages in all three.
   */
  add({ weight, passages, orMeanOf }: DenseLane, sums: Float64Array): void {
    const own = this.#similaritiesOf(passages, sums.length);
    const factor = weight / passages.one;
    if (orMeanOf === null) {
      addProducts(own, factor, sums);
    } else {
      const others = orMeanOf.map((one) => this.#similaritiesOf(one, sums.length)) as [Int32Array, Int32Array];
      addProducts(greaterOf(own, others, this.#means.any(own.length)), factor, sums);
    }
  }

  /** By card: the product of its best pair, 0 .. `one`; {@link NONE} without a passage. */
  #similaritiesOf(passages: DensePassages, cards: number): Int32Array {
    const known = this.#similarities.get(passages);
    if (known !== undefined) return known;
    const place = this.#similarities.size;
    this.#rooms[place] ??= new Scratch(Int32Array);
    const nearest = this.#rooms[place].any(cards).fill(NONE);
    if (passages.vectors === 0) markPassages(nearest, passages);
    else this.#raise(nearest, passages);
    this.#similarities.set(passages, nearest);
    return nearest;
  }

  /** Raises each card's number to the product of its best pair, 0 .. `one`. */
  #raise(nearest: Int32Array, { vectors, one, cardOf, rows, segments }: DensePassages): void {
    for (let vector = 0; vector < vectors; vector++) {
      const products = this.#products.zeros(rows);
      for (let place = 0; place < segments.length; place++) {
        const segment = segments[place] as ColumnSegment;
        addColumns(segment, segment.queries[vector] as WeightedLists, products.subarray(place * SEGMENT));
      }
      for (let row = 0; row < rows; row++) {
        const card = cardOf[row] as number;
        const product = positive(products[row] as number);
        // Rounding may lift the product of equal unit vectors above 1.
        nearest[card] = greater(nearest[card] as number, product - positive(product - one));
      }
    }
  }
}

/** 0 for the cards that have a passage. */
function markPassages(nearest: Int32Array, { cardOf, rows }: DensePassages): void {
  for (let row = 0; row < rows; row++) nearest[cardOf[row] as number] = 0;
}

/** Fills `to` with `own`, or the mean of the others, where it is greater and none of the three is {@link NONE}. */
function greaterOf(own: Int32Array, [a, b]: readonly [Int32Array, Int32Array], to: Int32Array): Int32Array {
  for (let card = 0; card < to.length; card++) {
    const [similarity, ofA, ofB] = [own[card] as number, a[card] as number, b[card] as number];
    // NONE, whose bits are all set, if one of the three is.
    const mean = ((ofA + ofB) >> 1) | ((similarity | ofA | ofB) >> 31);
    to[card] = greater(similarity, mean);
  }
  return to;
}

function addProducts(products: Int32Array, factor: number, sums: Float64Array): void {
  for (let card = 0; card < sums.length; card++) {
    sums[card] = (sums[card] as number) + factor * positive(products[card] as number);
  }
}

// Without branches, half of which would be mispredicted. Of 32-bit integers whose difference fits into 32 bits.

function positive(a: number): number {
  return a & ~(a >> 31);
}

function greater(a: number, b: number): number {
  return a - ((a - b) & ((a - b) >> 31));
}

function addColumns({ cells }: ColumnSegment, { starts, ends, weights }: WeightedLists, products: Int32Array): void {
  for (let column = 0; column < starts.length; column++) {
    const list = { start: starts[column] as number, end: ends[column] as number };
    addColumn(cells, list, (weights[column] as number) | 0, products);
  }
}

/** Unrolled: a pass spends much of its time here. */
function addColumn(
  cells: Uint32Array,
  { start, end }: { readonly start: number; readonly end: number },
  factor: number,
  products: Int32Array,
): void {
  let at = start;
  for (const whole = end - 3; at < whole; at += 4) {
    const a = cells[at] as number;
    const b = cells[at + 1] as number;
    const c = cells[at + 2] as number;
    const d = cells[at + 3] as number;
    products[a >>> 16] = (products[a >>> 16] as number) + Math.imul(factor, (a << 16) >> 16);
    products[b >>> 16] = (products[b >>> 16] as number) + Math.imul(factor, (b << 16) >> 16);
    products[c >>> 16] = (products[c >>> 16] as number) + Math.imul(factor, (c << 16) >> 16);
    products[d >>> 16] = (products[d >>> 16] as number) + Math.imul(factor, (d << 16) >> 16);
  }
  for (; at < end; at++) {
    const cell = cells[at] as number;
    products[cell >>> 16] = (products[cell >>> 16] as number) + Math.imul(factor, (cell << 16) >> 16);
  }
}
