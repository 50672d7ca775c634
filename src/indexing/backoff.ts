import { jittered } from '../domain/async.js';

/** Attempts before a card that fails by itself is marked as failed until it changes: two to four minutes of retries. */
export const MAX_ATTEMPTS = 8;

const LONGEST_OUTAGE_MS = 30_000;

/**
 * Delay before a failed card is retried, in milliseconds: 2^attempts seconds, half of it jitter; null: no more retries.
 */
export function retryAfterMs(attempts: number, random: () => number): number | null {
  if (attempts >= MAX_ATTEMPTS) return null;
  return jittered(1_000 * 2 ** attempts, random);
}

/**
 * Delay before the next attempt while a part is unavailable, in milliseconds: 0.2 s, doubling to 30 s, half of it
 * jitter.
 */
export function outagePauseMs(failuresInARow: number, random: () => number): number {
  return jittered(Math.min(200 * 2 ** (failuresInARow - 1), LONGEST_OUTAGE_MS), random);
}
