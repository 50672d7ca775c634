import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byPerspective, PERSPECTIVES, type Perspective } from '../../../src/domain/perspective.js';
import { DenseScoring } from '../../../src/scoring/dense-lane.js';
import { ColumnSegment } from '../../../src/vectors/column-segment.js';
import { SparseColumns } from '../../../src/vectors/columns.js';
import { PackedVectors } from '../../../src/vectors/packed.js';
import { byPerspectiveArb, unit, unitVectorArb } from '../../support/generators.js';

const DIMS = 5;

/** Unit vectors in which most places are 0, or none is. */
const vectorArb = fc.oneof(
  unitVectorArb(DIMS),
  fc.nat(DIMS - 1).map((place) => unit(Array.from({ length: DIMS }, (_, at) => (at === place ? 1 : 0)))),
);
const cardArb = byPerspectiveArb(fc.array(vectorArb, { maxLength: 3 })).map((vectors) =>
  PackedVectors.of({
    revision: 1,
    passages: byPerspective((perspective) => vectors[perspective]),
  }),
);
/** A card is set, or deleted (null). */
const changesArb = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.option(cardArb)), { maxLength: 30 });

/** By number; NaN if the card has no passage, or there is no query. */
function similaritiesIn(
  columns: SparseColumns,
  perspective: Perspective,
  vectors: readonly Float32Array[],
): readonly number[] {
  const sums = new Float64Array(columns.cardIds.length).fill(1);
  const passages = columns.passages(perspective, vectors);
  new DenseScoring().add({ kind: 'DENSE', weight: 0.5, passages, orMeanOf: null }, sums);
  return Array.from(sums, (sum, card) =>
    vectors.length > 0 && columns.has(perspective, card) ? (sum - 1) / 0.5 : Number.NaN,
  );
}

function apply(columns: SparseColumns, changes: readonly (readonly [string, PackedVectors | null])[]): void {
  for (const [cardId, vectors] of changes) {
    if (vectors === null) columns.delete(cardId);
    else columns.set(cardId, vectors);
  }
}

describe('columns of vectors', () => {
  test('give the same similarities as the cards themselves, after any changes', () => {
    fc.assert(
      fc.property(changesArb, fc.array(vectorArb, { maxLength: 2 }), (changes, queries) => {
        const columns = new SparseColumns();
        apply(columns, changes);
        const last = new Map(changes);
        const cards = [...last].flatMap(([id, vectors]) => (vectors === null ? [] : [{ id, vectors }]));
        expect(columns.size).toBe(cards.length);
        expect(columns.cardIds.filter((id) => id !== '').sort()).toEqual(cards.map(({ id }) => id).sort());
        for (const perspective of PERSPECTIVES) {
          const similarities = similaritiesIn(columns, perspective, queries);
          for (const { id, vectors } of cards) {
            const expected = vectors.similarity(perspective, queries);
            const given = similarities[columns.cardIds.indexOf(id)];
            if (expected === null) expect(given).toBeNaN();
            else expect(given).toBeCloseTo(expected, 3);
          }
        }
      }),
    );
  });

  test('say that they are scattered when far more numbers are unused than used', () => {
    const columns = new SparseColumns();
    const [vectors] = fc.sample(cardArb, 1);
    if (vectors === undefined) throw new Error('no vectors');
    for (let time = 0; time < 1_000; time++) columns.set('a', vectors);
    expect(columns.isScattered).toBe(false);
    for (let time = 0; time < 10; time++) columns.set('a', vectors);
    expect(columns.isScattered).toBe(true);
  });

  test('compare rows whose numbers have more than 16 bits', () => {
    const columns = new SparseColumns();
    const own = unit([1, 2, 0, 0, 0]);
    const other = unit([0, 0, 1, 1, 0]);
    const card = (vector: Float32Array): PackedVectors =>
      PackedVectors.of({ revision: 1, passages: { question: [vector], solution: [], concept: [], error: [] } });
    const [likeOwn, likeOther] = [card(own), card(other)];
    for (let place = 0; place < 70_000; place++) columns.set(`c${place}`, place % 7 === 0 ? likeOwn : likeOther);
    const similarities = similaritiesIn(columns, 'question', [own]);
    const wrong = similarities.findIndex((one, place) => Math.abs(one - (place % 7 === 0 ? 1 : 0)) > 1e-3);
    expect(wrong).toBe(-1);
  });

  test('keep no space for more values in a segment that is full', () => {
    const columns = new SparseColumns();
    const passages = { question: [unit([1, 0, 0, 0, 0])], solution: [], concept: [], error: [] };
    const card = PackedVectors.of({ revision: 1, passages });
    for (let place = 0; place < 65_536; place++) columns.set(`c${place}`, card);
    const full = columns.bytes;
    columns.set('next', card);
    expect(columns.bytes).toBeLessThan(full);
  });

  test('keep their values, and no space for more, once they are sealed', () => {
    // Beyond 15 bits.
    const FIRST_ROW = 32_760;
    const values = fc.array(fc.array(fc.integer({ min: -32_767, max: 32_767 }), { maxLength: 40 }), { maxLength: 8 });
    fc.assert(
      fc.property(values, (columns) => {
        const segment = new ColumnSegment();
        columns.forEach((column, dimension) => {
          column.forEach((value, row) => {
            segment.add(dimension, FIRST_ROW + row, value);
          });
        });
        segment.seal();
        for (const [dimension, column] of columns.entries()) {
          const [start, end] = [segment.start(dimension), segment.end(dimension)];
          const cells = [...segment.cells.subarray(start, end)];
          expect(cells.map((cell) => (cell << 16) >> 16)).toEqual(column);
          expect(cells.map((cell) => cell >>> 16)).toEqual([...column.keys()].map((row) => FIRST_ROW + row));
        }
        // Columns begin at multiples of two values.
        const most = columns.reduce((sum, { length }) => sum + 2 * Math.ceil(length / 2), 0);
        expect(segment.cells.length).toBe(most);
      }),
    );
  });

  test('count their changes', () => {
    const [vectors] = fc.sample(cardArb, 1);
    if (vectors === undefined) throw new Error('no vectors');
    const columns = new SparseColumns();
    const before = columns.changes;
    columns.set('a', vectors);
    const set = columns.changes;
    columns.delete('a');
    expect(new Set([before, set, columns.changes]).size).toBe(3);
    columns.delete('a');
    expect(columns.changes).toBeGreaterThan(set);
  });
});
