import { asError } from './errors.js';

/**
 * How long work may hold the thread, in ms, before whoever else waits for it has a turn: a search that comes in between is not
 * noticeably late, and a turn for others costs some 10 µs.
 */
const TURN_MS = 5;

/** Runs `fn` at most once; every caller gets the same promise. A rejection is forgotten, so that the next call may try again. */
export function once<T>(fn: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= fn().catch((thrown: unknown) => {
      running = undefined;
      throw asError(thrown);
    });
    return running;
  };
}

/** Closes in reverse order of opening. Every closer runs; failures are thrown together at the end. */
export class Closers {
  #closed = false;
  readonly #stack: { readonly name: string; readonly close: () => Promise<void> }[] = [];

  /** Throws once closing has ended: what is opened after that would never be closed. */
  add(name: string, close: () => Promise<void>): void {
    if (this.#closed) throw new Error(`${name} was opened after everything was closed`);
    this.#stack.push({ name, close });
  }

  readonly close = once(async () => {
    const failures: Error[] = [];
    for (let top = this.#stack.pop(); top !== undefined; top = this.#stack.pop()) {
      try {
        await top.close();
      } catch (thrown) {
        failures.push(new Error(`closing ${top.name} failed`, { cause: thrown }));
      }
    }
    this.#closed = true;
    if (failures.length > 0) throw new AggregateError(failures, 'the shutdown was not clean');
  });
}

/** Resolves after `ms`, or as soon as the signal aborts (without an error: the caller looks at the signal). */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** Runs `run` under a signal that also aborts after `ms`, with `late` as its reason; rejects with it then, whatever runs on. */
export async function within<T>(
  { ms, late, signal }: { readonly ms: number; readonly late: () => Error; readonly signal: AbortSignal },
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const clock = new AbortController();
  const timer = setTimeout(() => clock.abort(late()), ms);
  const both = AbortSignal.any([signal, clock.signal]);
  try {
    return await abortable(run(both), both);
  } finally {
    clearTimeout(timer);
  }
}

/** The promise's outcome, or the signal's reason as soon as it aborts. What was begun is not stopped by this. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(asError(signal.reason));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/**
 * Does `work` for every item in their order, `atATime` of them at once. Where it fails no further item is begun, and what is under
 * way is waited for; then it rejects with what failed first.
 */
export async function eachOf<T>(
  items: readonly T[],
  atATime: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = items.values();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      if (failures.length > 0) return;
      await work(item).catch((thrown: unknown) => failures.push(thrown));
    }
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  if (failures.length > 0) throw asError(failures[0]);
}

/** The items in their order, cut where their sizes sum to `maxSize`; a larger item has a slice of its own. */
export function* slicesOf<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  maxSize: number,
): Generator<readonly T[]> {
  let slice: T[] = [];
  let size = 0;
  for (const item of items) {
    const added = sizeOf(item);
    if (slice.length > 0 && size + added > maxSize) {
      yield slice;
      slice = [];
      size = 0;
    }
    slice.push(item);
    size += added;
  }
  if (slice.length > 0) yield slice;
}

/** Lets whoever waits for the thread have it. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Does the work of each item, in order; between two items others have a turn whenever the thread was held for long enough. */
export async function inTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let began = performance.now();
  for (const item of items) {
    if (performance.now() - began > TURN_MS) {
      await nextTurn();
      began = performance.now();
    }
    work(item);
  }
}
