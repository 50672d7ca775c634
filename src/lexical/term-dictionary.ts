/**
 * Gives strings numbers, from 0 on, so that flat arrays can stand for what is known of them. Several arrays may share one
 * numbering: each holds the numbers that it uses, and a number that nobody holds any more is given to another string, so
 * that the arrays stay as long as the most that there ever was at one time.
 */
export class TermDictionary {
  /** By number; '' where none has it. */
  readonly names: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** By number: how often it is held. */
  #holds = new Uint32Array(64);
  #free: number[] = [];

  /** How many strings have a number. */
  get size(): number {
    return this.#numbers.size;
  }

  /** Undefined where the string has none. */
  of(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  /** The string's number, a new one where it had none: it must then be held, or it stays for good. */
  take(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.names.length;
    this.#numbers.set(name, number);
    this.names[number] = name;
    if (number >= this.#holds.length) this.#grow();
    return number;
  }

  /** Holds a number that was taken once more. */
  hold(number: number): void {
    this.#holds[number] = (this.#holds[number] ?? 0) + 1;
  }

  /** Ends one hold. Where it was the last, the string has no number any more. */
  release(number: number): void {
    const holds = (this.#holds[number] ?? 0) - 1;
    if (holds < 0) throw new Error(`number ${number} is released more often than it was held`);
    this.#holds[number] = holds;
    if (holds > 0) return;
    this.#numbers.delete(this.names[number] ?? '');
    this.names[number] = '';
    this.#free.push(number);
  }

  /** Puts strings with their numbers and holds into an empty numbering; those that nobody holds are left out. */
  restore(names: readonly string[], holds: Uint32Array): void {
    if (this.names.length > 0) throw new Error('only an empty numbering can be restored');
    this.#holds = Uint32Array.from(holds);
    for (const [number, name] of names.entries()) {
      const held = (holds[number] ?? 0) > 0;
      this.names.push(held ? name : '');
      if (held) this.#numbers.set(name, number);
      else this.#free.push(number);
    }
    // The lowest first, so that the arrays stay short.
    this.#free.reverse();
    if (this.#numbers.size + this.#free.length !== names.length) throw new RangeError('a string has two numbers');
  }

  #grow(): void {
    const holds = new Uint32Array(Math.max(64, Math.ceil(this.#holds.length * 1.5)));
    holds.set(this.#holds);
    this.#holds = holds;
  }
}
