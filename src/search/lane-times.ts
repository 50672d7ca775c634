import type { Perspective } from '../domain/perspective.js';
import type { LaneKind } from '../domain/search.js';

/** One of the lanes, without its weight. */
interface Lane {
  readonly kind: LaneKind;
  readonly perspective: Perspective;
}

/** Hears how long a lane took to propose its cards, in ms; `answered` is false where it failed or came too late. */
export type OnLane = (lane: Lane, tookMs: number, answered: boolean) => void;

/** Runs a lane that is answered by a server, and tells `onLane` of it. */
export async function timeServed<T>(onLane: OnLane, lane: Lane, run: () => Promise<T>): Promise<T> {
  const started = performance.now();
  let answered = false;
  try {
    const answer = await run();
    answered = true;
    return answer;
  } finally {
    onLane(lane, performance.now() - started, answered);
  }
}

/** Runs a lane that is looked through in memory, and tells `onLane` of it. */
export function timeHere<T>(onLane: OnLane, lane: Lane, run: () => T): T {
  const started = performance.now();
  const answer = run();
  onLane(lane, performance.now() - started, true);
  return answer;
}
