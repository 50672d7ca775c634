/** How many changes are kept: a reader that is further behind looks at everything. */
const KEPT = 1_024;

/** Counts changes, and says what the latest ones were of. */
export class ChangeLog<T> {
  readonly #latest: T[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(changed: T): void {
    this.#latest[this.#count % KEPT] = changed;
    this.#count += 1;
  }

  /** What changed after so many changes, each once; null if that is not known any more. */
  since(count: number): ReadonlySet<T> | null {
    if (this.#count - count > KEPT) return null;
    const changed = new Set<T>();
    for (let at = count; at < this.#count; at++) changed.add(this.#latest[at % KEPT] as T);
    return changed;
  }
}
