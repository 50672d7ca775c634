/** Strings that are restored in a step: some .3 ms. */
const STEP = 1_000;

/**
 * Numbers strings (terms, card ids, labels) from 0 on, so that arrays can be indexed by them. Several indexes may share
 * a dictionary: each holds the numbers that it uses, and a number without a holder is given to another string, so that
 * arrays never get longer than the most strings that there were at one time.
 */
export class TermDictionary {
  /** By number; '' for a free one. */
  readonly names: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** By number: how many holders it has. */
  readonly #holds: number[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#numbers.size;
  }

  of(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  /** By place: the string's number, or -1 without one. */
  numbersByPlace(names: readonly string[]): Int32Array {
    const numbers = new Int32Array(names.length);
    for (let place = 0; place < names.length; place++) numbers[place] = this.of(names[place] as string) ?? -1;
    return numbers;
  }

  /** The numbers of those strings that have one, in order. */
  numbersOf(names: Iterable<string>): number[] {
    return Array.from(names, (name) => this.of(name)).filter((number) => number !== undefined);
  }

  /** The string's number, or a new one, which must then be held: without a holder it is never freed. */
  take(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.names.length;
    this.#numbers.set(name, number);
    this.names[number] = name;
    this.#holds[number] = 0;
    return number;
  }

  hold(number: number): void {
    this.#holds[number] = (this.#holds[number] ?? 0) + 1;
  }

  /** Frees the number if this was its last holder. */
  release(number: number): void {
    const holds = (this.#holds[number] ?? 0) - 1;
    if (holds < 0) throw new Error(`number ${number} is released more often than it was held`);
    this.#holds[number] = holds;
    if (holds > 0) return;
    this.#numbers.delete(this.names[number] ?? '');
    this.names[number] = '';
    this.#free.push(number);
  }

  /** Fills an empty dictionary, in steps; strings without a holder are left out. */
  *restore(names: readonly string[], holds: Uint32Array): Generator<void> {
    if (this.names.length > 0) throw new Error('only an empty dictionary can be restored');
    for (const [number, name] of names.entries()) {
      if (number % STEP === 0) yield;
      const held = (holds[number] ?? 0) > 0;
      this.#holds.push(holds[number] ?? 0);
      this.names.push(held ? name : '');
      if (held) this.#numbers.set(name, number);
      else this.#free.push(number);
    }
    // The lowest first, so that the arrays stay short.
    this.#free.reverse();
  }
}
