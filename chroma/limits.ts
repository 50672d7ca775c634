/** What a Chroma server accepts. */
export interface ServerLimits {
  /** Records of a write, or read by their ids. */
  readonly records: number;
  /** Neighbours of a query, and records of a page. */
  readonly results: number;
  /** Reads, and as many writes, of one collection at a time. */
  readonly concurrent: number;
}

/** A server of one's own: its batch limit of 5,461 is far above what a call is worth. */
export const OWN_LIMITS: ServerLimits = { records: 500, results: 1_000, concurrent: Number.POSITIVE_INFINITY };

/** Chroma Cloud's quotas (docs.trychroma.com/cloud/quotas-limits), which can be raised on request. */
export const CLOUD_LIMITS: ServerLimits = { records: 300, results: 300, concurrent: 10 };

/** Runs at most so many calls at a time; the others wait in the order in which they came. */
export class Turns {
  readonly #atATime: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atATime: number) {
    this.#atATime = atATime;
  }

  async take<T>(run: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atATime) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await run();
    } finally {
      // The place passes on to the next in line, so that nobody who comes later takes it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
