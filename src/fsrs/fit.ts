import { clipParameters, default_w } from 'ts-fsrs';
import type { TakeTurn } from '../domain/background.js';
import type { Attempt, FittedSchedule } from '../domain/practice.js';
import { inSteps } from '../domain/steps.js';
import { type CardHistory, historySteps, logLosses, type Period } from './memory.js';

/**
 * Fewer reviews are not fitted to: the limit of Anki 24.04. Anki 24.06 has none, but of 60 simulated students with 214
 * reviews 6 were scheduled by parameters worse than the defaults, with 446 reviews one (`npm run bench -- schedule`).
 */
export const MIN_REVIEWS = 400;

/** The earliest reviews are fitted to, the rest are held out. */
const FITTED_SHARE = 0.75;

interface Fitted {
  /** Of the 21 parameters of FSRS-6. */
  readonly place: number;
  /** Standard deviation among people: of the logarithm for those that are multiplied. */
  readonly deviation: number;
  readonly isFactor: boolean;
}

/**
 * The parameters that are fitted: stability after the first answer (wrong, right with help, right), how much answers
 * change difficulty, growth of stability and its saturation, stability after forgetting, shape of the forgetting curve.
 * The deviations are those of fsrs-rs (`PARAMS_STDDEV`), except those of factors, whose distributions are skewed.
 */
const FITTED: readonly Fitted[] = [
  { place: 0, deviation: 1, isFactor: true },
  { place: 1, deviation: 1, isFactor: true },
  { place: 2, deviation: 1, isFactor: true },
  { place: 6, deviation: 0.6, isFactor: false },
  { place: 8, deviation: 0.39, isFactor: false },
  { place: 9, deviation: 0.18, isFactor: false },
  { place: 11, deviation: 0.3, isFactor: false },
  { place: 20, deviation: 0.6, isFactor: true },
];

/** In standard deviations: the first step, by what each round shortens it, and the longest move. */
const STEP = 0.5;
const SHRINK = 0.6;
const LONGEST = 3;
const ROUNDS = 4;

/** A round that gains less than this, in nats of all reviews together, is the last one. */
const MIN_GAIN = 0.05;

/**
 * Fits FSRS to a log, in order of time, and tries it on the latest reviews. Null if there are too few. A turn is one
 * evaluation of all attempts.
 */
export async function fitSchedule(
  log: readonly Attempt[],
  timeZone: string,
  takeTurn: TakeTurn,
  leastReviews = MIN_REVIEWS,
): Promise<Omit<FittedSchedule, 'fittedAt'> | null> {
  const histories = await takeTurn(() => inSteps(historySteps(log, timeZone)));
  const reviews = histories.flatMap((steps) => steps.filter(({ days }) => days > 0).map(({ atMs }) => atMs));
  if (reviews.length < leastReviews) return null;
  const splitMs = reviews.sort((a, b) => a - b)[Math.floor(FITTED_SHARE * reviews.length)] as number;
  const weights = await descend(histories, [Number.NEGATIVE_INFINITY, splitMs], takeTurn);
  const heldOut: Period = [splitMs, Number.POSITIVE_INFINITY];
  const before = logLosses(histories, default_w, heldOut);
  const after = logLosses(histories, weights, heldOut);
  return {
    weights,
    isUsed: isBetter(before, after),
    reviews: reviews.length,
    heldOutReviews: before.length,
    defaultLogLoss: mean(before),
    logLoss: mean(after),
  };
}

/**
 * Whether the mean gain is larger than its standard error. Parameters that are merely better by anything were used for
 * every other simulated student whom the defaults suit (`npm run bench -- schedule`, the first rows).
 */
export function isBetter(before: readonly number[], after: readonly number[]): boolean {
  const gains = before.map((loss, place) => loss - (after[place] as number));
  const gain = mean(gains);
  const variance = mean(gains.map((one) => (one - gain) ** 2));
  return gain > 0 && gain > Math.sqrt(variance / gains.length);
}

/**
 * Coordinate descent by parabolas from the default parameters: the most likely parameters, given how they differ among
 * people.
 */
async function descend(
  histories: readonly CardHistory[],
  period: Period,
  takeTurn: TakeTurn,
): Promise<readonly number[]> {
  const costOf = (moves: readonly number[]): Promise<number> =>
    takeTurn(() => {
      const loss = logLosses(histories, weightsOf(moves), period).reduce((sum, one) => sum + one, 0);
      return loss + moves.reduce((sum, move) => sum + move ** 2 / 2, 0);
    });
  let best: readonly number[] = FITTED.map(() => 0);
  let least = await costOf(best);
  for (let round = 0, step = STEP; round < ROUNDS; round += 1, step *= SHRINK) {
    const before = least;
    for (const place of FITTED.keys()) {
      const standing = best;
      const middle = least;
      const tried = async (by: number): Promise<number> => {
        const moves = standing.map((move, other) => (other === place ? move + by : move));
        const cost = await costOf(moves);
        if (cost < least) [best, least] = [moves, cost];
        return cost;
      };
      const [down, up] = [await tried(-step), await tried(step)];
      await tried(bottom(down, middle, up) * step);
    }
    if (before - least < MIN_GAIN) break;
  }
  return weightsOf(best);
}

/** Where the parabola through (-1, down), (0, middle), (1, up) is lowest, within {@link LONGEST}. */
function bottom(down: number, middle: number, up: number): number {
  const curvature = down + up - 2 * middle;
  if (curvature <= 1e-9) return down < up ? -2 : 2;
  return Math.max(-LONGEST, Math.min(LONGEST, (down - up) / (2 * curvature)));
}

/** Digits of a parameter after the point, as in the defaults: all digits would not survive the database. */
const DIGITS = 4;

/** The parameters so many standard deviations from the defaults, within the limits of FSRS. */
function weightsOf(moves: readonly number[]): readonly number[] {
  const weights = [...default_w];
  for (const [at, { place, deviation, isFactor }] of FITTED.entries()) {
    const move = deviation * (moves[at] as number);
    weights[place] = isFactor ? (weights[place] as number) * Math.exp(move) : (weights[place] as number) + move;
  }
  return clipParameters(weights, 1).map((weight) => Number(weight.toFixed(DIGITS)));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
