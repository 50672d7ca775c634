import { setImmediate as turn } from 'node:timers/promises';

/** The longest that importing keeps the thread to itself, in ms: a search that comes meanwhile waits no longer. */
const SLICE_MS = 5;

/** A function to be awaited between two small pieces of work: it lets others have the thread when they have waited long enough. */
export function pace(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < SLICE_MS) return;
    await turn();
    began = performance.now();
  };
}
