/** Attempts after which a card that fails by itself is given up until it changes: two to four minutes of trying. */
export const MAX_ATTEMPTS = 8;

const LONGEST_OUTAGE_MS = 30_000;

/** How long to leave a card that failed alone, in milliseconds: 2^attempts seconds, half of it jitter; null: give up. */
export function retryAfterMs(attempts: number, random: () => number): number | null {
  if (attempts >= MAX_ATTEMPTS) return null;
  return jittered(1_000 * 2 ** attempts, random);
}

/** How long to wait before the next try while a part is away, in milliseconds: 0.2 s, doubling to 30 s, half of it jitter. */
export function outagePauseMs(failuresInARow: number, random: () => number): number {
  return jittered(Math.min(200 * 2 ** (failuresInARow - 1), LONGEST_OUTAGE_MS), random);
}

/** Jitter keeps many retries from coming at the same moment. */
function jittered(ms: number, random: () => number): number {
  return Math.round(ms * (0.5 + random() / 2));
}
