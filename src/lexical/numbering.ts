/**
 * Gives strings numbers, from 0 on, so that flat arrays can stand for what is known of them. A number that is given up is
 * given again: the arrays stay as long as the most that there ever was at one time.
 */
export class Numbering {
  /** By number; '' where none has it. */
  readonly names: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #free: number[] = [];

  /** How many strings have a number. */
  get size(): number {
    return this.#numbers.size;
  }

  /** Undefined where the string has none. */
  of(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  /** The string's number, a new one where it had none. */
  take(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.names.length;
    this.#numbers.set(name, number);
    this.names[number] = name;
    return number;
  }

  /** Gives up a number that a string has. */
  release(number: number): void {
    this.#numbers.delete(this.names[number] ?? '');
    this.names[number] = '';
    this.#free.push(number);
  }
}
