import { setMaxListeners } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ProgressBar } from '../src/cli/progress.js';
import { STOP_DEADLINE_MS } from '../src/cli/run-command.js';
import { Closers, delay, eachOf } from '../src/domain/async.js';
import { StartupError } from '../src/domain/errors.js';
import { EXIT } from '../src/domain/exit-codes.js';
import { aborted, StoppedError, type Stopping, stoppable } from '../src/runtime/stopping.js';

/**
 * Work that was told to stop gets this long before what it uses is closed, in ms: a start that is under way ends by
 * itself.
 */
const GRACE_MS = 3_000;

/** How long the thread may be kept before a signal is heard and the bar is drawn, in ms. */
const TURN_MS = 50;

/** Of `--json FILE`, which every benchmark takes; removed before it reads its own options. */
const [, RESULT_FILE] = process.argv.includes('--json') ? process.argv.splice(process.argv.indexOf('--json'), 2) : [];

/** Numbers, lists of numbers, texts and switches; null: a text without a default. */
type Defaults = Readonly<Record<string, number | readonly number[] | string | boolean | null>>;

type Options<D extends Defaults> = { readonly [Name in keyof D]: D[Name] extends null ? string | null : D[Name] };

/** The options of a benchmark, each as its default. StartupError for a number that is none, or below 0. */
export function readOptions<D extends Defaults>(defaults: D): Options<D> {
  return parsed(defaults, false).options;
}

/** The same with the files that are named beside them. StartupError for fewer files than `least`. */
export function readArguments<D extends Defaults>(defaults: D, least = 0): Arguments<D> {
  const given = parsed(defaults, true);
  if (given.files.length < least) throw new StartupError('a file is missing: --help says which are read', EXIT.usage);
  return given;
}

interface Arguments<D extends Defaults> {
  readonly files: readonly string[];
  readonly options: Options<D>;
}

function parsed<D extends Defaults>(defaults: D, allowPositionals: boolean): Arguments<D> {
  const usual = Object.entries(defaults);
  const types = usual.map(
    ([name, value]) => [name, { type: typeof value === 'boolean' ? 'boolean' : 'string' }] as const,
  );
  const { values, positionals } = parseArgs({ allowPositionals, options: Object.fromEntries(types) });
  const options = usual.map(([name, value]) => {
    const given = values[name];
    if (typeof given !== 'string') return [name, given ?? value];
    if (Array.isArray(value)) return [name, given.split(',').map((one) => numberOf(name, one))];
    return [name, typeof value === 'number' ? numberOf(name, given) : given];
  });
  return { files: positionals, options: Object.fromEntries(options) as Options<D> };
}

/** The value of an option that takes a number; StartupError if it is not one, or below 0. */
export function numberOf(name: string, given: string): number {
  const value = given.trim() === '' ? Number.NaN : Number(given);
  if (value >= 0) return value;
  throw new StartupError(`--${name} takes a number from 0, not "${given}"`, EXIT.usage);
}

/** A row of a table of results: figures by what they are, in the order of the columns. */
export type Row = Readonly<Record<string, string | number>>;

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
  readonly #bars = new Set<ProgressBar>();
  readonly #results: Record<string, readonly Row[]> = {};
  #turnedAt = performance.now();

  constructor() {
    // Each request that is under way listens: thousands, in the benchmark of a load.
    setMaxListeners(0, this.signal);
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Shows a step of `total` units, from now until {@link Step.end}. */
  step(name: string, unit: string, total: number): Step {
    const bar = new ProgressBar(name, unit, total);
    this.#bars.add(bar);
    return {
      // A bar that is told of something after its end would begin again.
      tell: (done) => void (this.signal.aborted || bar.update(done)),
      end: () => {
        bar.end();
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

  /** Prints the rows as a Markdown table below its name, figures with three digits; `--json` gets them as they are. */
  report(name: string, rows: readonly Row[]): void {
    this.#results[name] = rows;
    const columns = Object.keys(rows[0] ?? {});
    const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
    const body = rows.map((row) => line(columns.map((column) => shown(row[column] ?? ''))));
    console.log(['', name, '', line(columns), line(columns.map(() => '---')), ...body].join('\n'));
  }

  /** Writes what was reported to the file of `--json`, if it was given; StartupError if nothing was. */
  async writeResults(): Promise<void> {
    if (RESULT_FILE === undefined) return;
    if (Object.keys(this.#results).length === 0) {
      throw new StartupError('--json has no table to write', EXIT.usage);
    }
    const result = { options: process.argv.slice(2), node: process.version, results: this.#results };
    await writeFile(RESULT_FILE, `${JSON.stringify(result, null, 2)}\n`);
  }

  stop(reason: Error): void {
    this.#stopping.abort(reason);
    for (const bar of this.#bars) bar.end();
  }
}

/**
 * Runs a benchmark, which bench/main.ts imports. A signal ends it early, with a StoppedError: what it has opened is
 * closed first.
 */
export async function benchmark(work: (run: Run) => Promise<void>): Promise<void> {
  const current = new Run();
  const run = async ({ signal }: Stopping): Promise<void> => {
    try {
      const working = work(current).then(() => current.writeResults());
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

function shown(value: string | number): string {
  if (typeof value === 'string' || Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

/** 0, 1, 2 ... below `end`, or from `start` on. */
export function range(end: number, start = 0): readonly number[] {
  return Array.from({ length: end - start }, (_, place) => start + place);
}
