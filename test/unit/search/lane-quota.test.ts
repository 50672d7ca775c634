import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LANES } from '../../../src/domain/search.js';
import { applyLaneQuota } from '../../../src/search/lane-quota.js';
import { contrastArb, laneWeights, tableArb, tableOf } from '../../support/score-tables.js';

/** A table and some of its rows in an order of their own. */
const rowsArb = tableArb.chain((table) =>
  fc.record({ table: fc.constant(table), rows: fc.shuffledSubarray([...table.cardIds.keys()]) }),
);

describe('applyLaneQuota', () => {
  test('keeps the rows, in their order, that fewer than perLane others beat in some lane that speaks for them', () => {
    fc.assert(
      fc.property(rowsArb, contrastArb, fc.integer({ min: 1, max: 8 }), ({ table, rows }, weights, perLane) => {
        const scoreOf = (lane: number, row: number): number => table.lanes[lane]?.[row] || 0;
        const expected = rows.filter((row) =>
          LANES.some((_, lane) => {
            const own = scoreOf(lane, row);
            const better = rows.filter((other) => scoreOf(lane, other) > own);
            return (weights[lane] as number) > 0 && own > 0 && better.length < perLane;
          }),
        );
        expect(applyLaneQuota(rows, table, weights, perLane)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  const table = tableOf({
    a: { 'DENSE question': 0.9, 'LEXICAL concept': 0.1 },
    b: { 'DENSE question': 0.8, 'LEXICAL concept': 0 },
    c: { 'DENSE question': 0.7, 'LEXICAL concept': 0.2 },
    d: { 'DENSE error': 1 },
  });
  const weights = laneWeights({ 'DENSE question': 0.8, 'LEXICAL concept': 0.2 });

  test('hears every lane that was asked for, however little it weighs, and no other', () => {
    expect(applyLaneQuota([0, 1, 2, 3], table, weights, 1)).toEqual([0, 2]);
  });

  test('gives no place in a lane to a card that scores nothing there', () => {
    expect(applyLaneQuota([1, 3], table, laneWeights({ 'LEXICAL concept': 1 }), 5)).toEqual([]);
  });

  test('lets equal scores share a place', () => {
    const twins = tableOf({ a: { 'DENSE question': 0.5 }, b: { 'DENSE question': 0.5 }, c: { 'DENSE question': 0.4 } });
    expect(applyLaneQuota([2, 1, 0], twins, laneWeights({ 'DENSE question': 1 }), 1)).toEqual([1, 0]);
  });
});
