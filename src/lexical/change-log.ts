/** How many changes are kept: a reader that is further behind looks at everything. */
const KEPT = 1_024;

/** Counts changes, and says which numbers the latest ones were of. */
export class ChangeLog {
  readonly #numbers = new Uint32Array(KEPT);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(number: number): void {
    this.#numbers[this.#count % KEPT] = number;
    this.#count += 1;
  }

  /** The numbers that changed after so many changes, each once; null if that is not known any more. */
  since(count: number): ReadonlySet<number> | null {
    if (this.#count - count > KEPT) return null;
    const changed = new Set<number>();
    for (let at = count; at < this.#count; at++) changed.add(this.#numbers[at % KEPT] as number);
    return changed;
  }
}
