import { delay } from './async.js';
import { type BackgroundLoop, periodicLoop } from './background-loop.js';

/** Interval of deletions: the longest that something is kept after its time. */
const EVERY_MS = 3_600_000;

/** Pause between two batches, so that a backlog of months does not overload the database. */
const REST_MS = 100;

/** A loop that deletes what is no longer needed, in small batches. A failure is retried an hour later. */
export function deletionLoop(parts: {
  /** Deletes at most `limit`; returns how many. */
  readonly forget: (limit: number) => Promise<number>;
  readonly batch: number;
  readonly onFailure: (error: Error) => void;
}): BackgroundLoop {
  const { forget, batch, onFailure } = parts;
  const pass = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && (await forget(batch)) === batch) await delay(REST_MS, signal);
  };
  return periodicLoop(EVERY_MS, pass, onFailure);
}
