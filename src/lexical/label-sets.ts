/**
 * The different sets of labels that cards carry, by number. Thousands of cards carry the same labels, and a set is
 * scored once for all of them. A set stays when its last card is gone.
 */
export class LabelSets {
  /** By label, of sets of one; by all labels, of others. */
  readonly #numbers = new Map<number | string, number>();
  /** By label: the sets that contain it. */
  readonly #setsWith = new Map<number, number[]>();

  /** Numbers are below this one; 0 is the set without labels. */
  get size(): number {
    return this.#numbers.size + 1;
  }

  /** The number of a set of labels, which are numbers too, ascending and each once. */
  numberOf(labels: Uint32Array): number {
    if (labels.length === 0) return 0;
    const key = labels.length === 1 ? (labels[0] as number) : labels.join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.size;
    this.#numbers.set(key, number);
    for (const label of labels) {
      const sets = this.#setsWith.get(label);
      if (sets === undefined) this.#setsWith.set(label, [number]);
      else sets.push(number);
    }
    return number;
  }

  with(label: number): readonly number[] {
    return this.#setsWith.get(label) ?? [];
  }
}
