import { percentile } from '../domain/percentile.js';
import { seededRandom } from './random.js';

/** A mean and where it lies with 95 % confidence. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** How randomness is spent. */
export interface Resampling {
  /** How often the cases are drawn anew; 1,000 give the ends of an interval to about a tenth of its width. */
  readonly resamples: number;
  readonly seed: number;
}

/** The resampling of a report, where nothing else is asked for. */
export const RESAMPLING: Resampling = { resamples: 1_000, seed: 20_250_909 };

/** An interval leaves out this much on each side. */
const TAIL = 0.025;

/** The arithmetic mean; NaN of nothing. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * The mean with its percentile bootstrap interval (Efron 1979): the cases are drawn with replacement, as many as there are,
 * again and again, and the middle 95 % of the means are the interval. One case says nothing of others: its interval is as
 * narrow as it is worthless, so whoever shows it should show the number of cases too.
 */
export function estimate(values: readonly number[], { resamples, seed }: Resampling): Estimate {
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

/** How two lists of values for the same cases differ, the second less the first. */
export interface PairedDifference extends Estimate {
  /** Two-sided p-value of the randomization test. */
  readonly p: number;
  /** In how many cases the second value is higher, lower, the same. */
  readonly higher: number;
  readonly lower: number;
  readonly same: number;
  /** Whether the interval leaves out 0: only then may anybody speak of a difference. */
  readonly supported: boolean;
}

/**
 * Compares values of the same cases: the bootstrap interval of the mean difference, and Fisher's randomization test, which
 * asks how often a difference as large would come if in each case it were chance which of the two had which value (Smucker,
 * Allan and Carterette, CIKM 2007, recommend it for retrieval). Rounding must not make a difference: less than 1e-12 is none.
 */
export function compare(before: readonly number[], after: readonly number[], resampling: Resampling): PairedDifference {
  if (before.length !== after.length)
    throw new Error(`${before.length} values are compared with ${after.length} of other cases`);
  const differences = after.map((value, place) => {
    const difference = value - (before[place] as number);
    return Math.abs(difference) < 1e-12 ? 0 : difference;
  });
  const interval = estimate(differences, resampling);
  return {
    ...interval,
    p: randomization(differences, resampling),
    higher: differences.filter((difference) => difference > 0).length,
    lower: differences.filter((difference) => difference < 0).length,
    same: differences.filter((difference) => difference === 0).length,
    supported: interval.low > 0 || interval.high < 0,
  };
}

/** The share of random sign changes, and of the change that was seen, that give a sum at least as far from 0. */
function randomization(differences: readonly number[], { resamples, seed }: Resampling): number {
  // Another stream than the bootstrap's, so that the two answers are not made of the same draws.
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
