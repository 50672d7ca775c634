/** Score matrices and lane weights: random ones for properties, and ones written by hand for examples. */
import fc from 'fast-check';
import { byPerspective } from '../../src/domain/perspective.js';
import { LANES, type Lane } from '../../src/domain/search.js';
import { avoidedLanesOf, type LaneWeights, lanesOf, weightsOf } from '../../src/search/lanes.js';
import type { ScoreMatrix } from '../../src/search/score.js';
import { requestOf, scoreArb, weightsArb } from './generators.js';

/** A lane as an example names it: `DENSE question`. */
export type LaneKey = `${Lane['kind']} ${Lane['perspective']}`;

/** Some lanes with a number each. */
export type ByLane = Partial<Record<LaneKey, number>>;

/** The matrix of cards whose scores are given by lane; a lane in which no card has any was not scored. */
export function matrixOf(cards: Readonly<Record<string, ByLane>>): ScoreMatrix {
  const all = Object.values(cards);
  const lanes = LANES.map(({ kind, perspective }) => {
    const key: LaneKey = `${kind} ${perspective}`;
    const scores = Float64Array.from(all, (scores) => scores[key] ?? Number.NaN);
    return scores.every(Number.isNaN) ? null : scores;
  });
  return { cardIds: Object.keys(cards), lanes };
}

/** The weights of the lanes that are named, 0 for the others. */
export function laneWeights(given: ByLane): LaneWeights {
  return Float64Array.from(LANES, ({ kind, perspective }) => given[`${kind} ${perspective}`] ?? 0);
}

/** The scores of a few cards in one lane: many equal ones, some 0, some missing. */
export const laneScoresArb: fc.Arbitrary<Float64Array> = fc
  .array(fc.option(scoreArb, { freq: 4, nil: Number.NaN }), { maxLength: 12 })
  .map((scores) => Float64Array.from(scores));

/** Up to 12 cards, whose ids are in no order; a lane may not have been scored at all. */
export const matrixArb: fc.Arbitrary<ScoreMatrix> = fc
  .uniqueArray(fc.integer({ min: 100, max: 999 }), { maxLength: 12 })
  .chain((numbers) => {
    const size = { minLength: numbers.length, maxLength: numbers.length };
    const scores = fc.array(fc.option(scoreArb, { freq: 3, nil: Number.NaN }), size);
    const lane = fc.option(
      scores.map((all) => Float64Array.from(all)),
      { freq: 6 },
    );
    return fc
      .array(lane, { minLength: LANES.length, maxLength: LANES.length })
      .map((lanes) => ({ cardIds: numbers.map((number) => `c${number}`), lanes }));
  });

/** The lanes of any request: vectors alone, words alone, or both, with and without the inferred ones. */
export const askedArb: fc.Arbitrary<LaneWeights> = fc
  .record({ weights: weightsArb, lexicalShare: fc.constantFrom(0, 0.3, 0.5, 1), expand: fc.boolean() })
  .map((given) => weightsOf(lanesOf(requestOf(given))));

/** The same, where some of the perspectives that are not asked for are avoided. */
export const contrastArb: fc.Arbitrary<LaneWeights> = fc
  .record({ weights: weightsArb, avoided: weightsArb, lexicalShare: fc.constantFrom(0, 0.3, 0.5, 1) })
  .map(({ weights, avoided, lexicalShare }) => {
    const avoid = byPerspective((perspective) => (weights[perspective] > 0 ? 0 : avoided[perspective]));
    const request = requestOf({ weights, lexicalShare, avoid });
    return weightsOf([...lanesOf(request), ...avoidedLanesOf(request)]);
  });

/** The same matrix with its rows in another order. */
export function reordered({ cardIds, lanes }: ScoreMatrix, rows: readonly number[]): ScoreMatrix {
  return {
    cardIds: rows.map((row) => cardIds[row] as string),
    lanes: lanes.map((scores) => scores && Float64Array.from(rows, (row) => scores[row] as number)),
  };
}
