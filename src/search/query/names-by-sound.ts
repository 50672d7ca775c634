import { simplified } from '../../domain/simplified.js';
import type { Pinyin } from '../../text/pinyin.js';

/** `zhuang` */
const LONGEST_SYLLABLE = 6;

const NONE: readonly string[] = [];

const CHINESE_NAME = /^\p{Script=Han}{2,}$/u;

/** A simplified text with the readings of each of its characters. */
export interface Heard {
  readonly text: string;
  readonly readings: readonly (readonly string[])[];
}

/** Chinese names by how they are read. */
export class NamesBySound {
  /** By the first and the second syllable. */
  readonly #names = new Map<string, Map<string, string[]>>();

  private constructor(private readonly pinyin: Pick<Pinyin, 'of'>) {}

  /** Names that are not all Chinese are left out. A step for each name, of some 2 µs. */
  static *read(names: Iterable<string>, pinyin: Pick<Pinyin, 'of'>): Generator<void, NamesBySound> {
    const read = new NamesBySound(pinyin);
    const known = new Set<string>();
    for (const name of names) {
      yield;
      if (!CHINESE_NAME.test(name) || known.has(name)) continue;
      known.add(name);
      read.#add(name);
    }
    return read;
  }

  /** The names that a text has from `start` on, in their own characters or in others that are read like them. */
  at(heard: Heard, start: number): readonly string[] {
    const found = new Set<string>();
    for (const first of heard.readings[start] ?? []) {
      const bySecond = this.#names.get(first);
      for (const second of heard.readings[start + 1] ?? []) {
        for (const name of bySecond?.get(second) ?? []) if (this.#isAt(heard, start, name)) found.add(name);
      }
    }
    return found.size === 0 ? NONE : [...found];
  }

  /** The names that letters spell, by one reading of each character. */
  spelled(letters: string): readonly string[] {
    const found = new Set<string>();
    for (let first = 1; first <= LONGEST_SYLLABLE; first++) {
      const bySecond = this.#names.get(letters.slice(0, first));
      for (let second = 1; bySecond !== undefined && second <= LONGEST_SYLLABLE; second++) {
        const names = bySecond.get(letters.slice(first, first + second)) ?? [];
        for (const name of names) if (this.#spells(letters, name)) found.add(name);
      }
    }
    return [...found];
  }

  #add(name: string): void {
    const characters = simplified(name);
    const seconds = this.pinyin.of(characters.charAt(1));
    for (const first of this.pinyin.of(characters.charAt(0))) {
      const bySecond = this.#names.get(first) ?? new Map<string, string[]>();
      this.#names.set(first, bySecond);
      for (const second of seconds) {
        const same = bySecond.get(second);
        if (same === undefined) bySecond.set(second, [name]);
        else same.push(name);
      }
    }
  }

  #isAt({ text, readings }: Heard, start: number, name: string): boolean {
    const characters = simplified(name);
    for (let place = 0; place < name.length; place++) {
      const character = characters.charAt(place);
      if (character === text.charAt(start + place)) continue;
      const heard = readings[start + place] ?? NONE;
      if (!this.pinyin.of(character).some((reading) => heard.includes(reading))) return false;
    }
    return true;
  }

  #spells(letters: string, name: string): boolean {
    let ends = [0];
    for (const character of simplified(name)) {
      const readings = this.pinyin.of(character);
      ends = ends.flatMap((end) =>
        readings.filter((reading) => letters.startsWith(reading, end)).map((reading) => end + reading.length),
      );
    }
    return ends.includes(letters.length);
  }
}
