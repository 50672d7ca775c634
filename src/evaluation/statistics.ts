import { percentile } from '../domain/percentile.js';
import { seededRandom } from './random.js';

/** A mean with its 95 % confidence interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface Resampling {
  /** Number of resamples; 1,000 give the ends of an interval to about a tenth of its width. */
  readonly resamples: number;
  readonly seed: number;
}

/** Of all reports: the same cases give the same intervals. */
export const RESAMPLING: Resampling = { resamples: 1_000, seed: 20_250_909 };

/** Probability outside of the interval on each side. */
const TAIL = 0.025;

/**
 * Minimum number of cases that differ: with five the randomization test gives p .0625 or more, whatever their values,
 * while the bootstrap interval of a single case never contains 0.
 */
const MIN_DIFFERENT = 6;

/** The arithmetic mean; NaN for an empty list. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * The mean with its percentile bootstrap interval (Efron 1979): the middle 95 % of the means of resamples with
 * replacement. The interval of very few cases is too narrow, so show the number of cases beside it.
 */
export function estimate(values: readonly number[], { resamples, seed } = RESAMPLING): Estimate {
  const random = seededRandom(seed);
  const means = Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn += 1) {
      sum += values[Math.floor(random() * values.length)] as number;
    }
    return sum / values.length;
  });
  return { value: mean(values), low: percentile(means, TAIL), high: percentile(means, 1 - TAIL) };
}

/** Paired difference of two lists of values, second minus first. */
export interface PairedDifference extends Estimate {
  /** Two-sided p-value of the randomization test. */
  readonly p: number;
  /** Number of cases in which the second value is higher, lower, equal. */
  readonly higher: number;
  readonly lower: number;
  readonly same: number;
  /** True if the interval excludes 0 and six cases or more differ: the difference is significant. */
  readonly supported: boolean;
}

/**
 * Paired comparison: the bootstrap interval of the mean difference, and the p-value of Fisher's randomization test, the
 * probability of a difference as large if the two values of each case were swapped at random (recommended for retrieval
 * by Smucker, Allan and Carterette, CIKM 2007). Differences below 1e-12 are rounding and count as 0.
 */
export function compare(
  before: readonly number[],
  after: readonly number[],
  resampling = RESAMPLING,
): PairedDifference {
  if (before.length !== after.length)
    throw new Error(`${before.length} values are compared with ${after.length} values of other cases`);
  const differences = after.map((value, place) => {
    const difference = value - (before[place] as number);
    return Math.abs(difference) < 1e-12 ? 0 : difference;
  });
  const interval = estimate(differences, resampling);
  const different = differences.filter((difference) => difference !== 0).length;
  return {
    ...interval,
    p: randomization(differences, resampling),
    higher: differences.filter((difference) => difference > 0).length,
    lower: differences.filter((difference) => difference < 0).length,
    same: differences.filter((difference) => difference === 0).length,
    supported: different >= MIN_DIFFERENT && (interval.low > 0 || interval.high < 0),
  };
}

/** Share of random sign flips, the observed one included, whose sum is at least as far from 0. */
function randomization(differences: readonly number[], { resamples, seed }: Resampling): number {
  // A different random stream than the bootstrap's, so that the two results are independent.
  const random = seededRandom(seed + 1);
  const seen = Math.abs(differences.reduce((sum, difference) => sum + difference, 0));
  let asFar = 1;
  for (let turn = 0; turn < resamples; turn += 1) {
    let sum = 0;
    for (const difference of differences) sum += random() < 0.5 ? difference : -difference;
    if (Math.abs(sum) >= seen - 1e-12) asFar += 1;
  }
  return asFar / (resamples + 1);
}
