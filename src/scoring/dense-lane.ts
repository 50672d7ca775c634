import type { ColumnSegment, DenseLane, DensePassages, WeightedLists } from '../domain/ports/scoring.js';
import { Scratch } from '../lexical/arrays.js';

/** Rows of a segment: their numbers have 16 bits. */
const SEGMENT = 65_536;

/** The similarity of a card without a passage. */
const NONE = -1;

/** Adds dense lanes to sums: the best pair of a query vector and a passage counts. */
export class DenseScoring {
  readonly #products = new Scratch(Int32Array);
  readonly #nearest = new Scratch(Int32Array);
  readonly #others = [new Scratch(Int32Array), new Scratch(Int32Array)] as const;

  /** Adds `weight` times the similarity, 0 .. 1, of each card. */
  add({ weight, orMeanOf, ...own }: DenseLane, sums: Float64Array): void {
    const nearest = this.#nearest.zeros(sums.length);
    if (orMeanOf === null) {
      this.#raise(nearest, own);
    } else {
      const [a, b] = this.#others.map((scratch, place) => {
        const others = orMeanOf[place] as DensePassages;
        const similarities = withPassages(scratch.zeros(sums.length), others);
        this.#raise(similarities, others);
        return similarities;
      }) as [Int32Array, Int32Array];
      withPassages(nearest, own);
      this.#raise(nearest, own);
      raiseToMean(nearest, a, b);
    }
    const factor = weight / own.one;
    for (let card = 0; card < nearest.length; card++) {
      const similarity = factor * (nearest[card] as number);
      // Rounding may lift the product of equal unit vectors above 1.
      sums[card] = (sums[card] as number) + (similarity > weight ? weight : similarity);
    }
  }

  /** Raises each card's number to the product of its best pair. */
  #raise(nearest: Int32Array, { vectors, cardOf, rows, segments }: DensePassages): void {
    for (let vector = 0; vector < vectors; vector++) {
      const products = this.#products.zeros(rows);
      for (let place = 0; place < segments.length; place++) {
        const segment = segments[place] as ColumnSegment;
        addColumns(segment, segment.queries[vector] as WeightedLists, products.subarray(place * SEGMENT));
      }
      for (let row = 0; row < rows; row++) {
        const card = cardOf[row] as number;
        // The greater one, without a branch: half of them would be mispredicted.
        const lead = (nearest[card] as number) - (products[row] as number);
        nearest[card] = (nearest[card] as number) - (lead & (lead >> 31));
      }
    }
  }
}

/** 0 for the cards that have a passage, {@link NONE} for the others. */
function withPassages(nearest: Int32Array, { cardOf, rows }: DensePassages): Int32Array {
  nearest.fill(NONE);
  for (let row = 0; row < rows; row++) nearest[cardOf[row] as number] = 0;
  return nearest;
}

/**
 * Raises the cards that have passages in all three to the mean of the two others; those without one of their own have
 * 0.
 */
function raiseToMean(nearest: Int32Array, a: Int32Array, b: Int32Array): void {
  for (let card = 0; card < nearest.length; card++) {
    const [own, first, second] = [nearest[card] as number, a[card] as number, b[card] as number];
    const mean = first === NONE || second === NONE ? NONE : (first + second) >> 1;
    nearest[card] = own === NONE ? 0 : Math.max(own, mean);
  }
}

function addColumns(
  { rows, values }: ColumnSegment,
  { starts, ends, weights }: WeightedLists,
  products: Int32Array,
): void {
  for (let column = 0; column < starts.length; column++) {
    const list = { start: starts[column] as number, end: ends[column] as number };
    addColumn(rows, values, list, (weights[column] as number) | 0, products);
  }
}

/** Unrolled: a pass spends much of its time here. */
function addColumn(
  rows: Uint16Array,
  values: Int16Array,
  { start, end }: { readonly start: number; readonly end: number },
  factor: number,
  products: Int32Array,
): void {
  let at = start;
  for (const whole = end - 3; at < whole; at += 4) {
    const a = rows[at] as number;
    const b = rows[at + 1] as number;
    const c = rows[at + 2] as number;
    const d = rows[at + 3] as number;
    products[a] = (products[a] as number) + Math.imul(factor, values[at] as number);
    products[b] = (products[b] as number) + Math.imul(factor, values[at + 1] as number);
    products[c] = (products[c] as number) + Math.imul(factor, values[at + 2] as number);
    products[d] = (products[d] as number) + Math.imul(factor, values[at + 3] as number);
  }
  for (; at < end; at++) {
    const row = rows[at] as number;
    products[row] = (products[row] as number) + Math.imul(factor, values[at] as number);
  }
}
