import { delay } from '../../src/domain/async.js';

/** How often a condition is looked at. */
const POLL_MS = 20;

export interface UntilOptions {
  readonly deadlineMs: number;
  /** What is waited for, as the failure says it: `the card to be indexed`. */
  readonly what: string;
}

/**
 * The first answer of `probe` that is neither undefined, null nor false. Fails after the deadline, with the last error
 * where the probe threw.
 */
export async function until<T>(
  probe: () => T | undefined | null | false | Promise<T | undefined | null | false>,
  { deadlineMs, what }: UntilOptions,
): Promise<T> {
  let failure: unknown;
  for (const end = performance.now() + deadlineMs; performance.now() < end; await delay(POLL_MS)) {
    try {
      const answer = await probe();
      failure = undefined;
      if (answer !== undefined && answer !== null && answer !== false) return answer;
    } catch (thrown) {
      failure = thrown;
    }
  }
  throw new Error(`waited ${deadlineMs} ms for ${what}`, { cause: failure });
}
