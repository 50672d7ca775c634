import type { ColumnSegment, DenseLane, WeightedLists } from '../domain/ports/scoring.js';
import { Scratch } from '../lexical/arrays.js';

/** Rows of a segment: their numbers have 16 bits. */
const SEGMENT = 65_536;

/** Adds dense lanes to sums: the best pair of a query vector and a passage counts. */
export class DenseScoring {
  readonly #products = new Scratch(Int32Array);
  readonly #nearest = new Scratch(Int32Array);

  /** Adds `weight` times the similarity, 0 .. 1, of each card. */
  add({ weight, one, vectors, cardOf, rows, segments }: DenseLane, sums: Float64Array): void {
    const nearest = this.#nearest.zeros(sums.length);
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
    const factor = weight / one;
    for (let card = 0; card < nearest.length; card++) {
      const similarity = factor * (nearest[card] as number);
      // Rounding may lift the product of equal unit vectors above 1.
      sums[card] = (sums[card] as number) + (similarity > weight ? weight : similarity);
    }
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
