import { setMaxListeners } from 'node:events';
import { asError } from './errors.js';

/**
 * Runs `fn` at most once; every caller gets the same promise. A rejection is forgotten, so that the next call may try
 * again.
 */
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

/** Callbacks for one event. */
export class Listeners {
  readonly #all = new Set<() => void>();

  /** Adds a listener; returns the function that removes it. */
  readonly add = (listener: () => void): (() => void) => {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  };

  notify(): void {
    for (const listener of this.#all) listener();
  }
}

/** Closes in reverse order of opening. Every closer runs; failures are thrown together at the end. */
export class Closers {
  #closed = false;
  readonly #stack: { readonly name: string; readonly close: () => Promise<void> }[] = [];

  /** Throws after closing has ended, because the resource would never be closed. */
  add(name: string, close: () => Promise<void>): void {
    if (this.#closed) throw new Error(`${name} was opened after everything was closed`);
    this.#stack.push({ name, close });
  }

  /** Closes if `work` fails, and rejects with that failure; one of closing is passed to `report`. */
  async closingIfFailed<T>(work: () => Promise<T>, report: (error: unknown) => void): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      await this.close().catch(report);
      throw thrown;
    }
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

/** Resolves after `ms`, or as soon as one of the signals aborts (without an error: the caller checks the signals). */
export function delay(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    if (signals.some(({ aborted }) => aborted)) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      forget();
      resolve();
    };
    const timer = setTimeout(done, ms);
    const forget = onAbort(signals, done);
  });
}

/**
 * Calls `listener` when one of the signals aborts, until the returned function is called. Node 20 never forgets a
 * signal that `AbortSignal.any` makes of a long-lived one: 120,000 waits left 120,000 of them (by hand).
 */
function onAbort(signals: readonly AbortSignal[], listener: () => void): () => void {
  for (const signal of signals) {
    // Many may wait with one signal at once; each removes its listener.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', listener, { once: true });
  }
  return () => {
    for (const signal of signals) signal.removeEventListener('abort', listener);
  };
}

/** Half of it is random, so that those who retry at the same time do not do so again. In whole ms. */
export function jittered(ms: number, random: () => number = Math.random): number {
  return Math.round(ms * (0.5 + random() / 2));
}

/**
 * Runs `run` with a signal that also aborts after `ms`, with `late` as its reason; rejects with it then, even if `run`
 * goes on. Once `run` has ended, that signal aborts no more.
 */
export async function within<T>(
  { ms, late, signal }: { readonly ms: number; readonly late: () => Error; readonly signal?: AbortSignal },
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const both = new AbortController();
  const timer = setTimeout(() => both.abort(late()), ms);
  if (signal?.aborted) both.abort(signal.reason);
  const forget = onAbort(signal === undefined ? [] : [signal], () => both.abort(signal?.reason));
  try {
    return await abortable(run(both.signal), both.signal);
  } catch (thrown) {
    // What `run` has begun beside the part that failed.
    both.abort(thrown);
    throw thrown;
  } finally {
    clearTimeout(timer);
    forget();
  }
}

/** The promise's outcome, or the signal's reason as soon as it aborts. The underlying work is not stopped. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(asError(signal.reason));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Waits for the promise, at most for `ms`. Rejects as it does. */
export async function atMost(ms: number, promise: Promise<unknown> | undefined): Promise<void> {
  const over = new AbortController();
  await Promise.race([promise, delay(ms, over.signal)]).finally(() => over.abort());
}

/**
 * Runs `work` for every item in order, at most `atATime` concurrently. After a failure no further item is started; it
 * rejects with the first error once the running ones have settled.
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

/** The items in order, in slices of at most `size`. */
export function* batches<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** All items of a generator whose first result was read ahead; it ends when this one is ended. */
export async function* resumed<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T, void> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
