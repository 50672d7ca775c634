import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byPerspective, PERSPECTIVES, type Perspective } from '../../../src/domain/perspective.js';
import { LANES, type LaneKind } from '../../../src/domain/search.js';
import { avoidedLanesOf, type LanePlan, laneIndex, lanesOf, weightsOf } from '../../../src/search/lanes.js';
import { requestOf, weightsArb } from '../../support/generators.js';

const shareArb = fc.constantFrom(0, 0.25, 0.5, 1);
const even = byPerspective(() => 1);

function weightIn(lanes: readonly LanePlan[], kind: LaneKind, perspective: Perspective): number {
  return lanes.find((lane) => lane.kind === kind && lane.perspective === perspective)?.weight ?? 0;
}

function kindsOf(lanes: readonly LanePlan[]): ReadonlySet<LaneKind> {
  return new Set(lanes.map(({ kind }) => kind));
}

function sumOf(lanes: readonly LanePlan[]): number {
  return lanes.reduce((sum, { weight }) => sum + weight, 0);
}

describe('the lanes of a request', () => {
  test('have weights above 0 that sum to 1, in the requested ratios', () => {
    fc.assert(
      fc.property(weightsArb, shareArb, fc.boolean(), (weights, lexicalShare, expand) => {
        const lanes = lanesOf(requestOf({ weights, lexicalShare, expand }));
        expect(sumOf(lanes)).toBeCloseTo(1, 12);
        const total = PERSPECTIVES.reduce((sum, perspective) => sum + weights[perspective], 0);
        const own = lexicalShare === 0 || !expand ? 1 : 0.45;
        for (const perspective of PERSPECTIVES) {
          const share = (own * weights[perspective]) / total;
          expect(weightIn(lanes, 'DENSE', perspective)).toBeCloseTo(share * (1 - lexicalShare), 12);
          expect(weightIn(lanes, 'LEXICAL', perspective)).toBeCloseTo(share * lexicalShare, 12);
        }
        expect(weightIn(lanes, 'INFERRED', 'error')).toBeCloseTo(((1 - own) * weights.error) / total, 12);
        expect(weightIn(lanes, 'INFERRED', 'concept')).toBeCloseTo((1 - own) * (1 - weights.error / total), 12);
        for (const { weight } of lanes) expect(weight).toBeGreaterThan(0);
      }),
    );
  });

  test('are dense only, without inferred labels, if lexicalShare is 0', () => {
    expect(kindsOf(lanesOf(requestOf({ weights: even, lexicalShare: 0 })))).toEqual(new Set(['DENSE']));
    expect(kindsOf(lanesOf(requestOf({ weights: even, lexicalShare: 1 })))).toEqual(new Set(['LEXICAL', 'INFERRED']));
  });

  test('include no inferred lane if expand is off', () => {
    const lanes = lanesOf(requestOf({ weights: even, lexicalShare: 0.5, expand: false }));
    expect(kindsOf(lanes)).toEqual(new Set(['DENSE', 'LEXICAL']));
  });
});

describe('avoided lanes', () => {
  test('are those of the avoided perspectives, with the negated weight of a search for them', () => {
    fc.assert(
      fc.property(weightsArb, weightsArb, shareArb, (weights, avoid, lexicalShare) => {
        const lanes = avoidedLanesOf(requestOf({ weights, avoid, lexicalShare }));
        const total = PERSPECTIVES.reduce((sum, perspective) => sum + weights[perspective], 0);
        for (const perspective of PERSPECTIVES) {
          const share = avoid[perspective] / total;
          const close = (given: number, expected: number): void =>
            expect(Math.abs(given - expected)).toBeLessThanOrEqual(1e-12 * Math.abs(expected));
          close(weightIn(lanes, 'DENSE', perspective), -share * (1 - lexicalShare));
          close(weightIn(lanes, 'LEXICAL', perspective), -share * lexicalShare);
        }
        for (const { weight } of lanes) expect(weight).toBeLessThan(0);
      }),
    );
  });

  test('subtract as much as a search for them adds', () => {
    const sought = lanesOf(
      requestOf({ weights: { question: 1, solution: 0, concept: 0, error: 0 }, lexicalShare: 0.5 }),
    );
    const avoid = { question: 0, solution: 0, concept: 0, error: 1 };
    expect(sumOf(avoidedLanesOf(requestOf({ avoid, lexicalShare: 0.5 })))).toBeCloseTo(-sumOf(sought), 12);
  });

  test('do not exist without avoid, and are never inferred ones', () => {
    expect(avoidedLanesOf(requestOf({ weights: even, lexicalShare: 0.5 }))).toEqual([]);
    const lanes = avoidedLanesOf(requestOf({ avoid: even, lexicalShare: 0.5 }));
    expect(kindsOf(lanes)).toEqual(new Set(['DENSE', 'LEXICAL']));
  });
});

describe('the weights by lane', () => {
  test('are in the order of LANES, and 0 for lanes that are not planned', () => {
    const lanes = lanesOf(
      requestOf({ weights: { question: 3, solution: 0, concept: 1, error: 0 }, lexicalShare: 0.5 }),
    );
    const weights = weightsOf([...lanes].reverse());
    LANES.forEach((lane, place) => {
      expect(laneIndex(lane)).toBe(place);
      expect(weights[place]).toBe(weightIn(lanes, lane.kind, lane.perspective));
    });
  });
});
