import { delay, Listeners } from './async.js';
import { nextTurn, type Pause, SHORT_TURN_MS, TURN_MS, yieldTurn } from './steps.js';
import { Turns } from './turns.js';

/** Runs a short step of long work when it is its turn; settles as the step does. */
export type TakeTurn = <T>(step: () => Promise<T> | T) => Promise<T>;

/** Longest wait for searches, in ms: if clients search without a pause, long work still advances slowly. */
export const PATIENCE_MS = {
  /** Before a step, a search of an evaluation or a page of an export. */
  step: 100,
  /** Between two parts of long work. If it passes, the next part takes {@link TURN_MS}: a fifth of the event loop. */
  part: 20,
} as const;

/**
 * Longest wait, in ms, for the latest request: until its search begins, and again until the response has been sent.
 * Later it is no search, or its client reads slowly.
 */
export const REQUEST_MS = 5;

/** While clients search, work that nobody waits for rests for so many times the duration of its last step... */
const REST_RATIO = 3;
/** ...but for so many ms at most. */
const MAX_REST_MS = 1_000;

/** Clients count as searching until this long after their last search, in ms. */
const ACTIVE_MS = 1_000;

/** The searches of clients, which background work gives way to. */
export class Foreground {
  readonly #idle = new Listeners();
  #running = 0;
  #endedAtMs = Number.NEGATIVE_INFINITY;
  /** The latest request that may be a search, until it is answered. */
  #request: { readonly receivedAtMs: number } | null = null;

  /** Whether a client is searching, or was a moment ago. */
  get active(): boolean {
    return this.#running > 0 || performance.now() - this.#endedAtMs < ACTIVE_MS;
  }

  /** A request has come that may be a search; call the returned function when its response is closed. */
  received(): () => void {
    const request = { receivedAtMs: performance.now() };
    this.#request = request;
    return () => {
      if (this.#request !== request) return;
      this.#request = null;
      this.#idle.notify();
    };
  }

  begin(): void {
    this.#running += 1;
  }

  /** Once for each {@link begin}. */
  end(): void {
    this.#running -= 1;
    this.#endedAtMs = performance.now();
    if (this.#running === 0) this.#idle.notify();
  }

  /**
   * Resolves when no search is running, about to begin or still to be sent, or after `maxMs`; never before the event
   * loop has had a turn. True in the first case.
   */
  async whenIdle(maxMs: number): Promise<boolean> {
    const dueMs = performance.now() + maxMs;
    await nextTurn();
    for (;;) {
      const nowMs = performance.now();
      const restMs = this.#running > 0 ? Number.POSITIVE_INFINITY : this.#requestMs(nowMs);
      if (restMs <= 0) return true;
      if (nowMs >= dueMs) return false;
      await this.#ended(Math.min(restMs, dueMs - nowMs));
    }
  }

  #requestMs(nowMs: number): number {
    if (this.#request === null) return 0;
    return Math.max(this.#endedAtMs, this.#request.receivedAtMs) + REQUEST_MS - nowMs;
  }

  /** Resolves when the last of the running searches ends, or the latest request is answered, or after `ms`. */
  async #ended(ms: number): Promise<void> {
    const ended = new AbortController();
    const unsubscribe = this.#idle.add(() => ended.abort());
    await delay(ms, ended.signal);
    unsubscribe();
  }
}

/**
 * How long work on the gateway's event loop gives way to the searches of clients: cut into steps that run one at a
 * time, first in first out, or with pauses between its parts. A step, and the part after a pause, starts when no client
 * is searching or about to ({@link REQUEST_MS}), or after {@link PATIENCE_MS}.
 */
export class Background {
  readonly #turns = new Turns(1);

  constructor(private readonly foreground: Pick<Foreground, 'whenIdle' | 'active'>) {}

  /**
   * Whether clients are searching: then work that would keep several cores or servers busy does one thing at a time.
   */
  readonly isContended = (): boolean => this.foreground.active;

  /** Short parts are for clients: an import beside none was 7 % slower with them (three runs each). */
  readonly pause: Pause = async () => {
    const isIdle = await this.foreground.whenIdle(PATIENCE_MS.part);
    return isIdle && this.isContended() ? SHORT_TURN_MS : TURN_MS;
  };

  readonly take: TakeTurn = (step) =>
    this.#turns.run(async () => {
      await this.foreground.whenIdle(PATIENCE_MS.step);
      return step();
    });

  /**
   * After a step of work that nobody waits for: while clients search, it rests, so that it takes a quarter of the time;
   * less rest for steps of more than a third of a second, because closing may wait for it.
   */
  readonly rest = async (tookMs: number, ...signals: readonly AbortSignal[]): Promise<void> => {
    if (this.isContended()) await delay(Math.min(MAX_REST_MS, REST_RATIO * tookMs), ...signals);
  };

  /** As {@link take}, and then {@link rest}. */
  readonly takeAndRest: TakeTurn = async (step) => {
    let tookMs = 0;
    const result = await this.take(async () => {
      const beganMs = performance.now();
      const value = await step();
      tookMs = performance.now() - beganMs;
      return value;
    });
    await this.rest(tookMs);
    return result;
  };
}

/** The part of {@link Background} for work that is not cut into steps. */
export type GiveWay = Pick<Background, 'pause' | 'isContended' | 'rest'>;

/** For work that gives way to nobody: before clients are answered, and in tests. */
export const NO_FOREGROUND: GiveWay = { pause: yieldTurn, isContended: () => false, rest: async () => undefined };
