import { abortable, once } from '../domain/async.js';
import type { Log } from '../domain/ports/log.js';
import type { Scorer, ScoringPass, ScoringTask } from '../domain/ports/scoring.js';
import { sharedArray } from '../lexical/arrays.js';
import { byLane, combine, halvesOf, ThisThread } from './score-pass.js';
import { ScoringThread, ThreadLostError } from './scoring-thread.js';

const PROGRAM = new URL('./thread.js', import.meta.url);

/**
 * Halves of passes queued for a thread at a time, so that the next pass does not wait for the event loop. A longer
 * queue would not be faster: passes whose cards change while they wait have to be repeated.
 */
const AHEAD = 4;

/**
 * After a thread was lost, none is started for so long, in ms: one that cannot run would be started by every search.
 */
const RESTART_MS = 1_000;

export interface ScoringThreadsParts {
  /** How many threads there may be; 0: every pass is run in the calling thread. */
  readonly count: number;
  /** Passes over fewer cards are run in the calling thread. */
  readonly leastCards: number;
  readonly log: Pick<Log, 'warn'>;
  /** The compiled thread.ts, unless a test wants another one. */
  readonly program?: URL;
  /** A monotonic clock. */
  readonly nowMs?: () => number;
}

/**
 * Runs passes in worker threads, so that the event loop goes on meanwhile: in two if they are idle, else in one. A
 * thread is started when a pass comes and fewer than two are idle; until one runs, and where there is none, the calling
 * thread runs the pass. A pass whose thread is lost is run there again.
 */
export class ScoringThreads implements Scorer {
  readonly #here = new ThisThread();
  readonly #threads = new Set<ScoringThread>();
  /** Arrays of sums that no thread writes, the most recently used last. */
  readonly #rooms: Float64Array[] = [];
  /** What wakes those that wait for a thread, in order. */
  readonly #waiting: (() => void)[] = [];
  #lostAtMs = Number.NEGATIVE_INFINITY;
  #closing = false;

  constructor(private readonly parts: ScoringThreadsParts) {}

  /** How many threads have started. */
  get running(): number {
    return [...this.#threads].filter(({ isReady }) => isReady).length;
  }

  async run<P extends ScoringPass, T>(task: ScoringTask<P, T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (task.cards < this.parts.leastCards) return this.runHere(task);
    for (;;) {
      const thread = this.#leastBusy();
      if (thread === null) return this.runHere(task);
      if (thread.waiting < AHEAD) return abortable(this.#runIn(thread, task, signal), signal);
      await abortable(new Promise<void>((wake) => this.#waiting.push(wake)), signal);
    }
  }

  runHere<P extends ScoringPass, T>(task: ScoringTask<P, T>): T {
    return this.#here.runHere(task);
  }

  readonly close = once(async () => {
    this.#closing = true;
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  });

  async #runIn<P extends ScoringPass, T>(
    thread: ScoringThread,
    task: ScoringTask<P, T>,
    signal: AbortSignal,
  ): Promise<T> {
    let pass: P;
    let rooms: readonly [Float64Array, Float64Array];
    let took: readonly [readonly number[], readonly number[]];
    try {
      pass = task.make();
      rooms = [this.#roomFor(pass.cards), this.#roomFor(pass.cards)];
      const [half, otherHalf] = halvesOf(pass);
      const other = this.#idleBeside(thread) ?? thread;
      took = await Promise.all([
        thread.score(half, rooms[0].subarray(0, pass.cards)),
        other.score(otherHalf, rooms[1].subarray(0, pass.cards)),
      ]);
    } catch (error) {
      if (!(error instanceof ThreadLostError)) throw error;
      signal.throwIfAborted();
      return this.runHere(task);
    } finally {
      this.#wakeAll();
    }
    try {
      signal.throwIfAborted();
      const byCard = rooms[0].subarray(0, pass.cards);
      combine(pass, byCard, rooms[1]);
      return task.read({ byCard, tookMs: byLane(pass, took) }, pass);
    } finally {
      this.#rooms.push(...rooms);
    }
  }

  /** Another idle thread, if the given one is idle as well. */
  #idleBeside(thread: ScoringThread): ScoringThread | undefined {
    if (thread.waiting > 0) return undefined;
    return [...this.#threads].find((other) => other !== thread && other.isReady && other.waiting === 0);
  }

  /** When a thread has answered or is lost: the first of those that wait take what is free, the others wait again. */
  #wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** The least busy of the running threads; null if none is running. Starts another one if fewer than two are idle. */
  #leastBusy(): ScoringThread | null {
    const running = [...this.#threads].filter(({ isReady }) => isReady).toSorted((a, b) => a.waiting - b.waiting);
    const isStarting = running.length < this.#threads.size;
    if (!isStarting && running.filter(({ waiting }) => waiting === 0).length < 2) this.#start();
    return running[0] ?? null;
  }

  #start(): void {
    const { count, program = PROGRAM, nowMs = () => performance.now(), log } = this.parts;
    if (this.#closing || this.#threads.size >= count || nowMs() - this.#lostAtMs < RESTART_MS) return;
    const thread = new ScoringThread(program, (cause) => {
      this.#threads.delete(thread);
      this.#wakeAll();
      if (this.#closing) return;
      this.#lostAtMs = nowMs();
      log.warn(
        { err: cause },
        'a scoring thread has exited; its passes run on the event loop until another one is started',
      );
    });
    this.#threads.add(thread);
  }

  /** Shared, with room for `cards` numbers. */
  #roomFor(cards: number): Float64Array {
    const room = this.#rooms.pop();
    return room !== undefined && room.length >= cards ? room : sharedArray(Float64Array, Math.ceil(1.2 * cards));
  }
}
