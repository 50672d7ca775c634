import type { ColumnSegment, DenseLane, DensePassages, WeightedLists } from '../domain/ports/scoring.js';
import { Scratch } from '../lexical/arrays.js';

/** Rows of a segment: their numbers have 16 bits. */
const SEGMENT = 65_536;

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

  /** Adds `weight` times the similarity, 0 .. 1, of each card. */
  add({ weight, passages, orMeanOf }: DenseLane, sums: Float64Array): void {
    const own = this.#similaritiesOf(passages, sums.length);
    const similarities = orMeanOf === null ? own : this.#orMean(own, orMeanOf);
    const factor = weight / passages.one;
    for (let card = 0; card < similarities.length; card++) {
      const similarity = factor * (similarities[card] as number);
      // Rounding may lift the product of equal unit vectors above 1.
      const added = similarity > weight ? weight : similarity;
      sums[card] = (sums[card] as number) + (added > 0 ? added : 0);
    }
  }

  /**
   * Of the cards that have passages in all three, their own similarity or the mean of the two others, if that is
   * greater; of the others their own.
   */
  #orMean(own: Int32Array, [first, second]: readonly [DensePassages, DensePassages]): Int32Array {
    const a = this.#similaritiesOf(first, own.length);
    const b = this.#similaritiesOf(second, own.length);
    const greater = this.#means.zeros(own.length);
    for (let card = 0; card < own.length; card++) {
      const [similarity, ofFirst, ofSecond] = [own[card] as number, a[card] as number, b[card] as number];
      const hasAll = similarity !== NONE && ofFirst !== NONE && ofSecond !== NONE;
      const mean = hasAll ? (ofFirst + ofSecond) >> 1 : NONE;
      greater[card] = similarity > mean ? similarity : mean;
    }
    return greater;
  }

  /** By card: the product of its best pair, 0 at least; {@link NONE} without a passage. */
  #similaritiesOf(passages: DensePassages, cards: number): Int32Array {
    const known = this.#similarities.get(passages);
    if (known !== undefined) return known;
    const place = this.#similarities.size;
    this.#rooms[place] ??= new Scratch(Int32Array);
    const nearest = withPassages(this.#rooms[place].zeros(cards), passages);
    this.#raise(nearest, passages);
    this.#similarities.set(passages, nearest);
    return nearest;
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
