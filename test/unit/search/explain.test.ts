import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byPerspective } from '../../../src/domain/perspective.js';
import { FUSION_NAMES, type Fusion, LANES } from '../../../src/domain/search.js';
import { type LaneScore } from '../../../src/domain/search-result.js';
import { explainSteps, laneScores } from '../../../src/search/explain.js';
import { type Fused, fuse } from '../../../src/search/fuse.js';
import { type LaneWeights, laneIndex } from '../../../src/search/lanes.js';
import type { ScoreMatrix } from '../../../src/search/score.js';
import { cardOf } from '../../support/generators.js';
import { askedArb, contrastArb, laneWeights, matrixArb, matrixOf, reordered } from '../../support/score-matrices.js';

/** Every candidate, fused and explained; the lanes of weight 0 are those that a search did not ask for. */
interface Explained {
  readonly whole: ScoreMatrix;
  readonly weights: LaneWeights;
  readonly fused: Fused;
  readonly rows: readonly number[];
  readonly lanes: readonly (readonly LaneScore[])[];
}

function explained(
  whole: ScoreMatrix,
  weights: LaneWeights,
  fusion: Fusion = 'WEIGHTED',
  limit = Number.POSITIVE_INFINITY,
): Explained {
  const only = (asked: boolean): ScoreMatrix => ({
    ...whole,
    lanes: whole.lanes.map((scores, lane) => ((weights[lane] !== 0) === asked ? scores : null)),
  });
  const matrix = only(true);
  const fused = fuse(matrix, weights, fusion);
  const rows = fused.order.slice(0, limit);
  const others = reordered(only(false), rows);
  return { whole, weights, fused, rows, lanes: laneScores({ matrix, fused, weights, rows, others }) };
}

const explainedArb = fc
  .tuple(matrixArb, fc.oneof(askedArb, contrastArb), fc.constantFrom(...FUSION_NAMES), fc.integer({ min: 1, max: 12 }))
  .map((given) => explained(...given));

describe('explain', () => {
  test('lists for each hit every lane with a score, in the order of LANES', () => {
    fc.assert(
      fc.property(explainedArb, ({ whole, rows, lanes }) => {
        const expected = rows.map((row) =>
          LANES.flatMap(({ kind, perspective }, lane) => {
            const score = whole.lanes[lane]?.[row] ?? Number.NaN;
            return Number.isNaN(score) ? [] : [{ kind, perspective, score }];
          }),
        );
        const shown = lanes.map((all) => all.map(({ kind, perspective, score }) => ({ kind, perspective, score })));
        expect(shown).toEqual(expected);
      }),
    );
  });

  test('lists weights, and contributions that sum to the score of the hit', () => {
    fc.assert(
      fc.property(explainedArb, ({ weights, fused, rows, lanes }) => {
        lanes.forEach((all, place) => {
          const score = fused.scores[rows[place] as number] as number;
          expect(all.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(score, 10);
          for (const lane of all) expect(lane.weight).toBe(weights[laneIndex(lane)]);
        });
      }),
    );
  });

  test('ranks a card in each requested lane as sorting by that lane does, ties by id', () => {
    fc.assert(
      fc.property(explainedArb, ({ whole: { cardIds, lanes: scores }, weights, fused, rows, lanes }) => {
        LANES.forEach((lane, place) => {
          if (weights[place] === 0) return;
          const score = (row: number): number => scores[place]?.[row] ?? Number.NaN;
          // A card without any text that was asked for may have a label there, and is no candidate.
          const sorted = cardIds
            .map((_, row) => row)
            .filter((row) => !Number.isNaN(fused.scores[row] as number) && !Number.isNaN(score(row)))
            .sort((a, b) => score(b) - score(a) || ((cardIds[a] as string) < (cardIds[b] as string) ? -1 : 1));
          rows.forEach((row, hit) => {
            const shown = lanes[hit]?.find(
              ({ kind, perspective }) => kind === lane.kind && perspective === lane.perspective,
            );
            const rank = sorted.indexOf(row) + 1;
            expect(shown?.rank).toBe(rank === 0 ? undefined : rank);
          });
        });
      }),
    );
  });

  test('has no rank and no contribution in a lane that was not requested', () => {
    fc.assert(
      fc.property(explainedArb, ({ lanes }) => {
        for (const { weight, contribution, rank } of lanes.flat()) {
          if (weight === 0) expect({ contribution, rank }).toEqual({ contribution: 0, rank: null });
          else expect(rank).not.toBeNull();
        }
      }),
    );
  });

  test('shows an avoided lane with its negative contribution', () => {
    const matrix = matrixOf({
      a: { 'DENSE error': 0.75, 'DENSE question': 0.5, 'LEXICAL solution': 0.25 },
      b: { 'DENSE error': 0.5, 'DENSE question': 0.75 },
    });
    const { lanes } = explained(matrix, laneWeights({ 'DENSE error': 1, 'DENSE question': -0.5 }));
    expect(lanes[0]).toEqual([
      { perspective: 'question', kind: 'DENSE', score: 0.5, weight: -0.5, contribution: -0.25, rank: 2 },
      { perspective: 'error', kind: 'DENSE', score: 0.75, weight: 1, contribution: 0.75, rank: 1 },
      { perspective: 'solution', kind: 'LEXICAL', score: 0.25, weight: 0, contribution: 0, rank: null },
    ] satisfies readonly LaneScore[]);
  });

  test('shows the exact score of a lane, and its fused value', () => {
    const matrix = matrixOf({ a: { 'DENSE question': 0.3 }, b: { 'DENSE question': 0.2 } });
    const { lanes } = explained(matrix, laneWeights({ 'DENSE question': 1 }), 'RRF');
    expect(lanes.map(([lane]) => [lane?.score, lane?.contribution])).toEqual([
      [0.3, 1],
      [0.2, 61 / 62],
    ]);
  });

  test('lets other work run after each hit: long texts take long to compare', () => {
    const read: string[] = [];
    const index = {
      termsOf: (texts: readonly string[]) => {
        read.push(...texts);
        return texts;
      },
    };
    const hits = ['a', 'b', 'c'].map((id, row) => ({ row, card: cardOf({ id, topicTags: [id] }) }));
    const none = byPerspective(() => []);
    const label = { kind: 'inferred', labels: [], mentioned: false } as const;
    const query = {
      ...{ text: 'a', card: null, combined: null, vectors: none, added: [] },
      ...{ terms: byPerspective(() => ['a']), expanded: none, labels: { concept: label, error: label } },
    };
    const asked = { index, subject: { kind: 'text', text: 'a' } as const };
    const steps = explainSteps(
      asked,
      { query, hits, floor: 0 },
      hits.map(() => []),
    );
    const readBefore: number[] = [];
    let step = steps.next();
    for (; !step.done; step = steps.next()) readBefore.push(read.length);
    // The labels of the hits before. The text itself is read for a hit with a similar question alone.
    expect(readBefore).toEqual([0, 1, 2]);
    expect(step.value.map(({ verdict }) => verdict)).toEqual(['SAME_IDEA', 'RELATED', 'RELATED']);
  });
});
