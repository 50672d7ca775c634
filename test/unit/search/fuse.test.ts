import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PERSPECTIVES } from '../../../src/domain/perspective.js';
import { FUSION_NAMES, LANES } from '../../../src/domain/search.js';
import { type Fused, fuse } from '../../../src/search/fuse.js';
import { type LaneWeights } from '../../../src/search/lanes.js';
import { type ScoreMatrix } from '../../../src/search/score.js';
import { scoreArb } from '../../support/generators.js';
import { naiveScore } from '../../support/naive-fusion.js';
import { runs } from '../../support/runs.js';
import { askedArb, contrastArb, laneWeights, matrixArb, matrixOf, reordered } from '../../support/score-matrices.js';

const fusionArb = fc.constantFrom(...FUSION_NAMES);
const weightsArb = fc.oneof(askedArb, contrastArb);
const questionAlone = laneWeights({ 'DENSE question': 1 });

/** The hits, best first, by id and score. */
function listOf({ cardIds }: ScoreMatrix, { order, scores }: Fused): readonly (readonly [string, number])[] {
  return order.map((row) => [cardIds[row] as string, scores[row] as number]);
}

/** How far two scores are apart; what is avoided may weigh a million times what is sought. */
function difference(one: number, other: number): number {
  return Math.abs(one - other) / Math.max(1, Math.abs(one));
}

/** What lane scores the card by best, of those that speak for it. */
function bestSought({ lanes }: ScoreMatrix, weights: LaneWeights, row: number): number {
  return Math.max(
    0,
    ...lanes.flatMap((scores, lane) => {
      const score = scores?.[row] ?? Number.NaN;
      return (weights[lane] as number) > 0 && !Number.isNaN(score) ? [score] : [];
    }),
  );
}

/** The best score of a card in the texts that were asked for; undefined if it has none of them. */
function bestText({ lanes }: ScoreMatrix, weights: LaneWeights, row: number): number | undefined {
  const scores = LANES.flatMap(({ kind }, lane) => {
    const score = lanes[lane]?.[row] ?? Number.NaN;
    return kind !== 'INFERRED' && (weights[lane] as number) > 0 && !Number.isNaN(score) ? [score] : [];
  });
  return scores.length === 0 ? undefined : Math.max(...scores);
}

describe('fuse', () => {
  test('equals a weighted mean over present texts and label lanes, less avoided lanes', () => {
    fc.assert(
      fc.property(matrixArb, weightsArb, fusionArb, (matrix, weights, fusion) => {
        const { scores } = fuse(matrix, weights, fusion);
        scores.forEach((score, row) => {
          const expected = naiveScore(matrix, weights, fusion, row);
          if (expected === undefined) expect(score).toBeNaN();
          else expect(difference(score, expected)).toBeLessThan(1e-12);
        });
      }),
      { numRuns: runs(500) },
    );
  });

  test('returns every card with a requested text, with a score from 0 to 1', () => {
    fc.assert(
      fc.property(matrixArb, askedArb, fusionArb, (matrix, weights, fusion) => {
        const { order, scores } = fuse(matrix, weights, fusion);
        const withText = matrix.cardIds
          .map((_, row) => row)
          .filter((row) => bestText(matrix, weights, row) !== undefined);
        expect([...order].sort((a, b) => a - b)).toEqual(withText);
        for (const row of order) expect((scores[row] as number) >= 0 && (scores[row] as number) <= 1).toBe(true);
      }),
    );
  });

  test('has contributions that sum to the score, negative only in avoided lanes', () => {
    fc.assert(
      fc.property(matrixArb, weightsArb, fusionArb, (matrix, weights, fusion) => {
        const { scores, contribution: contributionOf } = fuse(matrix, weights, fusion);
        scores.forEach((score, row) => {
          const added = LANES.map((_, lane) => contributionOf(lane, row));
          if (Number.isNaN(score)) return;
          expect(
            difference(
              added.reduce((sum, value) => sum + value, 0),
              score,
            ),
          ).toBeLessThan(1e-12);
          added.forEach((contribution, lane) => {
            const weight = weights[lane] as number;
            if (weight === 0) expect(contribution).toBe(0);
            else expect(contribution * Math.sign(weight)).toBeGreaterThanOrEqual(0);
          });
        });
      }),
    );
  });

  test('is independent of the order of candidates', () => {
    const shuffled = matrixArb.chain((matrix) =>
      fc.record({
        matrix: fc.constant(matrix),
        rows: fc.shuffledSubarray([...matrix.cardIds.keys()], { minLength: matrix.cardIds.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, weightsArb, fusionArb, ({ matrix, rows }, weights, fusion) => {
        const other = reordered(matrix, rows);
        expect(listOf(other, fuse(other, weights, fusion))).toEqual(listOf(matrix, fuse(matrix, weights, fusion)));
      }),
    );
  });

  test('does not penalise a card for missing texts', () => {
    fc.assert(
      fc.property(scoreArb, scoreArb, askedArb, fc.subarray([...PERSPECTIVES]), (score, inferred, weights, present) => {
        const lanes = LANES.map(({ kind, perspective }) => {
          if (kind === 'INFERRED') return Float64Array.of(inferred, inferred);
          return Float64Array.of(score, present.includes(perspective) ? score : Number.NaN);
        });
        const { scores } = fuse({ cardIds: ['whole', 'partial'], lanes }, weights, 'WEIGHTED');
        const [whole, partial] = [scores[0] as number, scores[1] as number];
        const asked = LANES.some(
          ({ kind, perspective }, lane) =>
            kind !== 'INFERRED' && (weights[lane] as number) > 0 && present.includes(perspective),
        );
        if (asked) expect(Math.abs(whole - partial)).toBeLessThan(1e-12);
        else expect(partial).toBeNaN();
      }),
    );
  });

  test('returns no card without a requested text, whatever its labels', () => {
    const matrix = matrixOf({ a: { 'DENSE error': 1, 'INFERRED concept': 1 }, b: {} });
    const weights = laneWeights({ 'DENSE question': 0.6, 'INFERRED concept': 0.4 });
    for (const fusion of FUSION_NAMES) {
      const { order, scores } = fuse(matrix, weights, fusion);
      expect(order).toEqual([]);
      expect([...scores]).toEqual([Number.NaN, Number.NaN]);
    }
  });
});

describe('the order of hits', () => {
  test('is by score, then by the best requested lane, then by card id', () => {
    fc.assert(
      fc.property(matrixArb, weightsArb, fusionArb, (matrix, weights, fusion) => {
        const { order: rows, scores } = fuse(matrix, weights, fusion);
        rows.slice(1).forEach((next, place) => {
          const one = rows[place] as number;
          const order =
            (scores[next] as number) - (scores[one] as number) ||
            bestSought(matrix, weights, next) - bestSought(matrix, weights, one) ||
            ((matrix.cardIds[one] as string) < (matrix.cardIds[next] as string) ? -1 : 1);
          expect(order).toBeLessThan(0);
        });
      }),
    );
  });

  test('breaks a tie by the best single lane before the card id', () => {
    const matrix = matrixOf({
      c: { 'DENSE question': 0.5, 'LEXICAL question': 0.5 },
      a: { 'DENSE question': 0.5, 'LEXICAL question': 0.5 },
      z: { 'DENSE question': 1, 'LEXICAL question': 0 },
    });
    const weights = laneWeights({ 'DENSE question': 0.5, 'LEXICAL question': 0.5 });
    expect(listOf(matrix, fuse(matrix, weights, 'WEIGHTED')).map(([id]) => id)).toEqual(['z', 'a', 'c']);
  });

  test('ignores lanes that were not requested in ties', () => {
    const matrix = matrixOf({
      b: { 'DENSE question': 0.5, 'LEXICAL question': 0.8 },
      a: { 'DENSE question': 0.5, 'LEXICAL question': 0.2 },
    });
    expect(listOf(matrix, fuse(matrix, questionAlone, 'WEIGHTED')).map(([id]) => id)).toEqual(['a', 'b']);
  });

  test('ignores avoided lanes in ties', () => {
    const matrix = matrixOf({
      a: { 'DENSE question': 0.625, 'LEXICAL question': 0.625, 'DENSE solution': 1 },
      b: { 'DENSE question': 0.75, 'LEXICAL question': 0.25 },
    });
    const weights = laneWeights({ 'DENSE question': 0.5, 'LEXICAL question': 0.5, 'DENSE solution': -0.125 });
    expect(listOf(matrix, fuse(matrix, weights, 'WEIGHTED'))).toEqual([
      ['b', 0.5],
      ['a', 0.5],
    ]);
  });
});

describe('the similarities, which thresholds apply to,', () => {
  test('are the weighted scores of the positive lanes, independent of fusion and avoided lanes', () => {
    fc.assert(
      fc.property(matrixArb, contrastArb, fusionArb, (matrix, weights, fusion) => {
        const sought = weights.map((weight) => Math.max(0, weight));
        const { similarities } = fuse(matrix, weights, fusion);
        expect(similarities).toEqual(fuse(matrix, sought, 'WEIGHTED').scores);
      }),
    );
  });
});

describe('what is avoided', () => {
  test('never increases a score, and does not change that of a card without a text there', () => {
    fc.assert(
      fc.property(matrixArb, contrastArb, fusionArb, (matrix, weights, fusion) => {
        const sought = weights.map((weight) => Math.max(0, weight));
        const [contrast, plain] = [fuse(matrix, weights, fusion), fuse(matrix, sought, fusion)];
        plain.scores.forEach((score, row) => {
          const avoids = weights.some(
            (weight, lane) => weight < 0 && !Number.isNaN(matrix.lanes[lane]?.[row] ?? Number.NaN),
          );
          if (avoids && !Number.isNaN(score)) expect(contrast.scores[row]).toBeLessThanOrEqual(score);
          else expect(contrast.scores[row]).toBe(score);
        });
      }),
    );
  });

  test('drops exactly the cards that are not more similar to the query than to what is avoided', () => {
    fc.assert(
      fc.property(matrixArb, contrastArb, fusionArb, (matrix, weights, fusion) => {
        fc.pre(weights.some((weight) => weight < 0));
        const { order, scores } = fuse(matrix, weights, fusion);
        const expected = matrix.cardIds.map((_, row) => row).filter((row) => (scores[row] as number) > 0);
        expect([...order].sort((a, b) => a - b)).toEqual(expected);
      }),
    );
  });

  test('puts the same error in another question before the same error in the same question', () => {
    const matrix = matrixOf({
      twin: { 'DENSE error': 0.9, 'DENSE question': 0.9 },
      contrast: { 'DENSE error': 0.8, 'DENSE question': 0.1 },
      question: { 'DENSE error': 0.2, 'DENSE question': 0.8 },
    });
    const avoiding = fuse(matrix, laneWeights({ 'DENSE error': 1, 'DENSE question': -0.5 }), 'WEIGHTED');
    expect(listOf(matrix, avoiding)).toEqual([
      ['contrast', expect.closeTo(0.75, 12)],
      ['twin', expect.closeTo(0.45, 12)],
    ]);
  });

  test('subtracts the same amount with and without inferred labels', () => {
    const weights = laneWeights({ 'DENSE error': 0.6, 'INFERRED error': 0.4, 'DENSE question': -0.5 });
    const texts = { 'DENSE error': 1, 'DENSE question': 1 };
    for (const card of [texts, { ...texts, 'INFERRED error': 1 }]) {
      const { scores } = fuse(matrixOf({ card }), weights, 'WEIGHTED');
      expect(scores[0]).toBeCloseTo(0.5, 12);
    }
  });
});
