import type { Attempt } from '../domain/practice.js';
import { inSteps } from '../domain/steps.js';
import { historySteps } from '../fsrs/memory.js';
import { Z_95 } from './mastery/gaussian.js';

/** How many reviews were right; null for what there is none of. */
export interface Retention {
  readonly reviews: number;
  readonly right: number;
  readonly retention: number | null;
  /** The 95 % interval. */
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * Reviews since `after`: an attempt on the same day as the one before shows what was read, and not what was
 * remembered. `log` is of one student, in order of time, and reaches further back. Wilson's interval of a share.
 */
export async function retentionOf(log: readonly Attempt[], after: Date, timeZone: string): Promise<Retention> {
  const histories = await inSteps(historySteps(log, timeZone));
  const steps = histories.flatMap((history) => history.filter(({ days }) => days > 0));
  const recent = steps.filter(({ attempt }) => attempt.at >= after);
  const reviews = recent.length;
  const right = recent.filter(({ attempt }) => attempt.correct).length;
  if (reviews === 0) return { reviews, right, retention: null, low: null, high: null };
  const retention = right / reviews;
  const square = Z_95 ** 2 / reviews;
  const middle = (retention + square / 2) / (1 + square);
  const margin = (Z_95 * Math.sqrt((retention * (1 - retention)) / reviews + square / (4 * reviews))) / (1 + square);
  return { reviews, right, retention, low: middle - margin, high: middle + margin };
}
