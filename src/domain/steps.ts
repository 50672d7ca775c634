/**
 * How long work may block the event loop before it yields, in ms: short enough that a search is not noticeably delayed;
 * a yield costs some 10 µs.
 */
export const TURN_MS = 5;

/** The same for work that gives way to searches: one that arrives waits for the end of the current turn. */
export const SHORT_TURN_MS = 2;

/** Who waits for the event loop of this thread. */
const waiting: (() => void)[] = [];

/**
 * Yields to the event loop. One of those who wait continues in each of its iterations, first in first out: the parts of
 * ten searches, all in one, would block it ten times as long as one part may.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(continueOne);
  });
}

function continueOne(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(continueOne);
}

/** Awaited between two parts of long work: resolves when it may go on, with how long its next part may take, in ms. */
export type Pause = () => Promise<number>;

export const yieldTurn: Pause = async () => {
  await nextTurn();
  return TURN_MS;
};

/** Runs steps to their result, and awaits `pause` between two parts; then it rejects if the signal has aborted. */
export async function inSteps<T>(steps: Generator<void, T>, pause = yieldTurn, signal?: AbortSignal): Promise<T> {
  // Work that pauses for others begins with a short part.
  let endMs = performance.now() + (pause === yieldTurn ? TURN_MS : SHORT_TURN_MS);
  try {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (performance.now() <= endMs) continue;
      endMs = (await pause()) + performance.now();
      signal?.throwIfAborted();
    }
  } finally {
    // If `pause` rejects, what the steps iterate over is closed too.
    steps.return(undefined as T);
  }
}

/** Runs steps to their result in one turn of the event loop. */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs `work` for each item in order, and awaits `pause` between two parts. */
export function inTurns<T>(items: Iterable<T>, work: (item: T) => void, pause = yieldTurn): Promise<void> {
  const steps = function* (): Generator<void, void> {
    for (const item of items) {
      yield;
      work(item);
    }
  };
  return inSteps(steps(), pause);
}

/** The steps of each item, one after the other. */
export function* allSteps<T>(items: Iterable<T>, steps: (item: T) => Generator<void>): Generator<void> {
  for (const item of items) {
    yield;
    yield* steps(item);
  }
}

/** Items that are sorted, or merged, in one step: some .3 ms. */
const SORTED = 1_000;

/** As `toSorted`, in steps: half a million items take seconds. */
export function* sortedSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += SORTED) {
    yield;
    runs.push(items.slice(at, at + SORTED).sort(compare));
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      longer.push(yield* merged(runs[at] as T[], runs[at + 1] ?? [], compare));
    runs = longer;
  }
  return runs[0] ?? [];
}

/** Of equal items those of `a` first. */
function* merged<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  const all: T[] = [];
  for (let [inA, inB] = [0, 0]; all.length < a.length + b.length; ) {
    if (all.length % SORTED === 0) yield;
    const isOfB = inA === a.length || (inB < b.length && compare(a[inA] as T, b[inB] as T) > 0);
    all.push((isOfB ? b[inB++] : a[inA++]) as T);
  }
  return all;
}
