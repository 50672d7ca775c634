import { setImmediate } from 'node:timers/promises';
import type { SingleBar } from 'cli-progress';
import { progressBar } from '../src/cli/progress-bar.js';
import { STOP_DEADLINE_MS } from '../src/cli/run-command.js';
import { Closers, delay, eachOf } from '../src/domain/async.js';
import { aborted, StoppedError, type Stopping, stoppable } from '../src/runtime/stopping.js';

/** Work that was told to stop gets this long before what it uses is closed, in ms: a start that is under way ends by itself. */
const GRACE_MS = 3_000;

/** How long the thread may be kept before a signal is heard and the bar is drawn, in ms. */
const TURN_MS = 50;

/** A part of a benchmark that shows how far it is. */
export interface Step {
  tell(done: number): void;
  end(): void;
}

/** What a benchmark works in: it shows how far it is, and leaves nothing behind, however it ends. */
export class Run {
  /** Closed in reverse order at the end, or when a signal ends the run. */
  readonly closers = new Closers();
  readonly #stopping = new AbortController();
  readonly #bars = new Set<SingleBar>();
  #turnedAt = performance.now();

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Shows a step of `total` units, from now until {@link Step.end}. */
  step(name: string, unit: string, total: number): Step {
    const bar = progressBar(name, unit);
    this.#bars.add(bar);
    bar.start(total, 0);
    return {
      // A bar that is told of something after its end would begin again.
      tell: (done) => void (this.signal.aborted || bar.update(done)),
      end: () => {
        bar.stop();
        this.#bars.delete(bar);
      },
    };
  }

  /** The items one after the other, as a step. What is left when the run is stopped is not begun. */
  async *each<T>(name: string, unit: string, items: readonly T[]): AsyncGenerator<T, void, undefined> {
    const step = this.step(name, unit, items.length);
    try {
      for (const [done, item] of items.entries()) {
        await this.turn();
        yield item;
        step.tell(done + 1);
      }
    } finally {
      step.end();
    }
  }

  /** Does `work` for each of the items, `atATime` of them at once, as a step. */
  async together<T>(
    name: string,
    unit: string,
    items: readonly T[],
    atATime: number,
    work: (item: T) => Promise<unknown>,
  ): Promise<void> {
    const step = this.step(name, unit, items.length);
    let done = 0;
    await eachOf(items, atATime, async (item) => {
      this.signal.throwIfAborted();
      await work(item);
      done += 1;
      step.tell(done);
    }).finally(step.end);
  }

  /** Lets signals in where the thread was kept for long; throws where the run is stopped. */
  async turn(): Promise<void> {
    if (performance.now() - this.#turnedAt > TURN_MS) {
      await setImmediate();
      this.#turnedAt = performance.now();
    }
    this.signal.throwIfAborted();
  }

  stop(reason: Error): void {
    this.#stopping.abort(reason);
    for (const bar of this.#bars) bar.stop();
  }
}

/** Runs a benchmark, which bench/main.ts imports. A signal ends it early, with a StoppedError: what it has opened is closed first. */
export async function benchmark(work: (run: Run) => Promise<void>): Promise<void> {
  const current = new Run();
  const run = async ({ signal }: Stopping): Promise<void> => {
    try {
      const working = work(current);
      await Promise.race([working, aborted(signal)]);
      if (signal.aborted) await Promise.race([working.catch(() => undefined), delay(GRACE_MS)]);
    } finally {
      await current.closers.close();
    }
    signal.throwIfAborted();
  };
  const onStop = (reason: Error): void => {
    const quietly = reason instanceof StoppedError && reason.by === 'SIGPIPE';
    if (!quietly) process.stderr.write('closing what was started, removing what was written\n');
    // What fails because it was stopped is no failure.
    process.on('unhandledRejection', () => undefined);
    current.stop(reason);
  };
  await stoppable(run, { deadlineMs: STOP_DEADLINE_MS, onStop });
}

/** 0, 1, 2 ... below `end`, or from `start` on. */
export function range(end: number, start = 0): readonly number[] {
  return Array.from({ length: end - start }, (_, place) => start + place);
}
