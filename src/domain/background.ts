/** Runs a short step of long work when it is its turn; settles as the step does. */
export type TakeTurn = <T>(step: () => Promise<T> | T) => Promise<T>;

/** Longest wait of a step for searches, in ms: if clients search without a pause, long work still advances slowly. */
const PATIENCE_MS = 100;

/**
 * Long work on the gateway's event loop, in steps: one step at a time, first in first out, and each starts when no client's
 * search is running.
 */
export class BackgroundTurns {
  readonly #whenIdle: (maxMs: number) => Promise<void>;
  #last: Promise<unknown> = Promise.resolve();

  /** `whenIdle` resolves when no search is running, or after `maxMs`. */
  constructor(whenIdle: (maxMs: number) => Promise<void>) {
    this.#whenIdle = whenIdle;
  }

  readonly take: TakeTurn = (step) => {
    const turn = this.#last.then(async () => {
      await this.#whenIdle(PATIENCE_MS);
      return step();
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  };
}
