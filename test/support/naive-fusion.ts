/** Fusion as it would be written on paper, one card at a time: what the read path is compared with. */
import { type Fusion, LANES } from '../../src/domain/search.js';
import type { LaneWeights } from '../../src/search/lanes.js';
import type { ScoreMatrix } from '../../src/search/score.js';

/** What one lane says of a card whose score there is `own`, among `all` scores that any card has there. */
export const NAIVE_VALUES: Readonly<Record<Fusion, (own: number, all: readonly number[]) => number>> = {
  WEIGHTED: (own) => own,
  RRF: (own, all) => (own === 0 ? 0 : 61 / (60 + 1 + all.filter((other) => other > own).length)),
  RELATIVE: (own, all) => {
    const [least, most] = [Math.min(...all), Math.max(...all)];
    if (least === most) return own === 0 ? 0 : 1;
    return (own - least) / (most - least);
  },
};

/** What each lane says of the card in `row`; undefined if it has no score there, or the lane was not scored. */
export function naiveValues({ lanes }: ScoreMatrix, fusion: Fusion, row: number): readonly (number | undefined)[] {
  return lanes.map((scores) => {
    const own = scores?.[row] ?? Number.NaN;
    if (scores === null || Number.isNaN(own)) return undefined;
    return NAIVE_VALUES[fusion](
      own,
      [...scores].filter((score) => !Number.isNaN(score)),
    );
  });
}

/**
 * The weighted mean over the texts that the card has, and of that, at the weight that all texts were planned to have,
 * and the inferred lanes that have a value; less the weighted values of the lanes that are avoided, as shares of all
 * that is sought. Undefined if the card has no text that is sought.
 */
export function naiveScore(matrix: ScoreMatrix, weights: LaneWeights, fusion: Fusion, row: number): number | undefined {
  const values = naiveValues(matrix, fusion, row);
  const mean = (all: readonly (readonly [weight: number, value: number])[]): number =>
    all.reduce((sum, [weight, value]) => sum + weight * value, 0) / all.reduce((sum, [weight]) => sum + weight, 0);
  const found = LANES.flatMap(({ kind }, lane) => {
    const value = values[lane];
    return value === undefined ? [] : [{ kind, weight: weights[lane] as number, value }];
  });
  const pairs = (all: typeof found): [number, number][] => all.map(({ weight, value }) => [weight, value]);
  const sought = found.filter(({ weight }) => weight > 0);
  const texts = sought.filter(({ kind }) => kind !== 'INFERRED');
  const inferred = sought.filter(({ kind }) => kind === 'INFERRED');
  if (texts.length === 0) return undefined;
  const planned = [...weights].filter((weight, lane) => weight > 0 && LANES[lane]?.kind !== 'INFERRED');
  const textWeight = planned.reduce((sum, weight) => sum + weight, 0);
  const all = [...weights].filter((weight) => weight > 0).reduce((sum, weight) => sum + weight, 0);
  const avoided = found.filter(({ weight }) => weight < 0).reduce((sum, { weight, value }) => sum + weight * value, 0);
  return mean([[textWeight, mean(pairs(texts))], ...pairs(inferred)]) + avoided / all;
}
