/** Runs a short step of long work when it is its turn; answers, or rejects, as the step does. */
export type TakeTurn = <T>(step: () => Promise<T> | T) => Promise<T>;

/** How long a step waits for searches at most, in ms: where clients search without a pause, long work goes on slowly. */
const PATIENCE_MS = 100;

/**
 * Long work in the gateway's own thread, step by step: one step at once, in the order in which they were asked for, and each
 * begins when no client's search is at work.
 */
export class BackgroundTurns {
  readonly #whenIdle: (maxMs: number) => Promise<void>;
  #last: Promise<unknown> = Promise.resolve();

  /** `whenIdle` resolves when no search is at work, or after so many ms. */
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
