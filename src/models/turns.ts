/** Priority: a user's query goes before the indexer. */
export type Urgency = 'interactive' | 'bulk';

/** A semaphore with two priorities: interactive ones go before all bulk ones, each in order of arrival. */
export class Turns {
  readonly #waiting: Readonly<Record<Urgency, (() => void)[]>> = { interactive: [], bulk: [] };
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Resolves with the release function, which must be called once. */
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
