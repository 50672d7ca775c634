import { LANES, type LaneScore } from '../domain/search.js';
import { contributions, type Fused } from './fuse.js';
import type { LaneWeights } from './lanes.js';
import type { ScoreMatrix } from './score-matrix.js';

/** What a list was made from. */
export interface Explained {
  /** Every candidate in the lanes that were asked for. */
  readonly table: ScoreMatrix;
  readonly fused: Fused;
  readonly weights: LaneWeights;
  /** The rows of `table` that are explained. */
  readonly rows: readonly number[];
  /** These rows, in order, in the lanes that were not asked for. */
  readonly unasked: ScoreMatrix;
}

/** Why each row has its score: every lane that the card has a text for, in the order of LANES. Pure. */
export function explain({ table, fused, weights, rows, unasked }: Explained): readonly (readonly LaneScore[])[] {
  return rows.map((row, place) => {
    const added = contributions(fused.values, weights, row);
    return LANES.flatMap(({ perspective, kind }, lane): LaneScore[] => {
      const asked = table.lanes[lane] ?? null;
      const score = (asked === null ? unasked.lanes[lane]?.[place] : asked[row]) ?? Number.NaN;
      if (Number.isNaN(score)) return [];
      return [
        {
          perspective,
          kind,
          score,
          weight: weights[lane] as number,
          contribution: added?.[lane] ?? 0,
          rank: asked === null ? null : rankIn(asked, row, table.cardIds, fused.scores),
        },
      ];
    });
  });
}

/** The place of a row among the hits by one lane alone, 1 is best, equal scores in order of card id. */
function rankIn(scores: Float64Array, row: number, cardIds: readonly string[], hits: Float64Array): number {
  const own = scores[row] as number;
  const ownId = cardIds[row] as string;
  let rank = 1;
  for (let other = 0; other < scores.length; other += 1) {
    const score = scores[other] as number;
    if (Number.isNaN(hits[other] as number) || other === row) continue;
    if (score > own || (score === own && (cardIds[other] as string) < ownId)) rank += 1;
  }
  return rank;
}
