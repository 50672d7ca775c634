import type { Attempt } from '../domain/practice.js';

/** How many reviews were right; null for what there is none of. */
export interface Retention {
  readonly reviews: number;
  readonly right: number;
  readonly retention: number | null;
  /** The 95 % interval. */
  readonly low: number | null;
  readonly high: number | null;
}

/** An attempt sooner than this after the one before shows what was read, and not what was remembered. */
const DAY_MS = 86_400_000;

/** 95 % of a normal distribution. */
const WIDE = 1.96;

/**
 * Reviews since `after`. `log` is of one student, in order of time, and reaches further back. Wilson's interval of a
 * share.
 */
export function retentionOf(log: readonly Attempt[], after: Date): Retention {
  const lastMs = new Map<string, number>();
  let [reviews, right] = [0, 0];
  for (const { cardId, at, correct } of log) {
    const before = lastMs.get(cardId);
    lastMs.set(cardId, at.getTime());
    if (at < after || before === undefined || at.getTime() - before < DAY_MS) continue;
    reviews += 1;
    right += correct ? 1 : 0;
  }
  if (reviews === 0) return { reviews, right, retention: null, low: null, high: null };
  const retention = right / reviews;
  const square = WIDE ** 2 / reviews;
  const middle = (retention + square / 2) / (1 + square);
  const margin = (WIDE * Math.sqrt((retention * (1 - retention)) / reviews + square / (4 * reviews))) / (1 + square);
  return { reviews, right, retention, low: middle - margin, high: middle + margin };
}
