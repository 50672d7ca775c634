/** Who goes first: a person who waits for an answer, or the index, which can wait. */
export type Urgency = 'interactive' | 'bulk';

/** Lets so many work at once; interactive ones go before all bulk ones, in order of arrival each. */
export class Turns {
  readonly #waiting: Readonly<Record<Urgency, (() => void)[]>> = { interactive: [], bulk: [] };
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Resolves with the function that gives the turn back, which must be called once. */
  async take(urgency: Urgency): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting[urgency].push(resolve));
    return () => this.#giveBack();
  }

  #giveBack(): void {
    const next = this.#waiting.interactive.shift() ?? this.#waiting.bulk.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
