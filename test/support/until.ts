import { delay } from '../../src/domain/async.js';
import { dayOf } from '../../src/domain/local-day.js';

/**
 * A condition is looked at again after a twentieth of the time that was waited so far, within these bounds: a gateway
 * that is asked 50 times a second takes the processor from what is waited for.
 */
const PAUSE_SHARE = 0.05;
const LEAST_PAUSE_MS = 20;
const MOST_PAUSE_MS = 200;

export interface UntilOptions {
  readonly deadlineMs: number;
  /** What is waited for, as the failure says it: `the card to be indexed`. */
  readonly what: string;
}

/**
 * The first answer of `probe` that is neither undefined, null nor false. Fails after the deadline, with the last error
 * where the probe threw. The last look begins after the deadline: a pause may have taken all the time, on a busy
 * machine.
 */
export async function until<T>(
  probe: () => T | undefined | null | false | Promise<T | undefined | null | false>,
  { deadlineMs, what }: UntilOptions,
): Promise<T> {
  let failure: unknown;
  const begun = performance.now();
  const waitedMs = (): number => performance.now() - begun;
  const pauseMs = (): number => Math.min(Math.max(PAUSE_SHARE * waitedMs(), LEAST_PAUSE_MS), MOST_PAUSE_MS);
  while (true) {
    const isLast = waitedMs() >= deadlineMs;
    try {
      const answer = await probe();
      failure = undefined;
      if (answer !== undefined && answer !== null && answer !== false) return answer;
    } catch (thrown) {
      failure = thrown;
    }
    if (isLast) throw new Error(`waited ${deadlineMs} ms for ${what}`, { cause: failure });
    await delay(pauseMs());
  }
}

/** What is done in the two minutes after it is done on one day in this time zone. */
export async function withinOneDay(timeZone: string): Promise<void> {
  const isOneDay = () => dayOf(new Date(), timeZone) === dayOf(new Date(Date.now() + 120_000), timeZone);
  await until(isOneDay, { deadlineMs: 150_000, what: `midnight in ${timeZone}` });
}
