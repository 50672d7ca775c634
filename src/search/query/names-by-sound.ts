import { simplified } from '../../domain/simplified.js';
import type { Pinyin } from '../../text/pinyin.js';

/** `zhuang` */
const LONGEST_SYLLABLE = 6;

const NONE: readonly string[] = [];

/** In characters. No longer text is read by its sound, and so no longer name is one of it. */
export const LONGEST_TEXT = 60;

const CHINESE_NAME = new RegExp(`^\\p{Script=Han}{2,${LONGEST_TEXT}}$`, 'u');

/** A simplified text with the readings of each of its characters. */
export interface Heard {
  readonly text: string;
  readonly readings: readonly (readonly string[])[];
}

interface Name {
  readonly name: string;
  /** Simplified. */
  readonly characters: string;
}

/**
 * Chinese names by how they are read. A student may have 20,000 labels that sound alike up to their last characters:
 * each name that is compared is a step.
 */
export class NamesBySound {
  /** By the first and the second syllable. */
  readonly #names = new Map<string, Map<string, Name[]>>();

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
  *at(heard: Heard, start: number): Generator<void, readonly string[]> {
    const found = new Set<string>();
    for (const first of heard.readings[start] ?? []) {
      const bySecond = this.#names.get(first);
      for (const second of heard.readings[start + 1] ?? []) {
        for (const one of bySecond?.get(second) ?? []) {
          yield;
          if (this.#isAt(heard, start, one)) found.add(one.name);
        }
      }
    }
    return found.size === 0 ? NONE : [...found];
  }

  /** The names that letters spell, by one reading of each character. */
  *spelled(letters: string): Generator<void, readonly string[]> {
    const found = new Set<string>();
    for (let first = 1; first <= LONGEST_SYLLABLE; first++) {
      const bySecond = this.#names.get(letters.slice(0, first));
      for (let second = 1; bySecond !== undefined && second <= LONGEST_SYLLABLE; second++) {
        for (const one of bySecond.get(letters.slice(first, first + second)) ?? []) {
          yield;
          if (this.#spells(letters, one)) found.add(one.name);
        }
      }
    }
    return [...found];
  }

  #add(name: string): void {
    const characters = simplified(name);
    const seconds = this.pinyin.of(characters.charAt(1));
    for (const first of this.pinyin.of(characters.charAt(0))) {
      const bySecond = this.#names.get(first) ?? new Map<string, Name[]>();
      this.#names.set(first, bySecond);
      for (const second of seconds) {
        const same = bySecond.get(second);
        if (same === undefined) bySecond.set(second, [{ name, characters }]);
        else same.push({ name, characters });
      }
    }
  }

  #isAt({ text, readings }: Heard, start: number, { characters }: Name): boolean {
    if (start + characters.length > text.length) return false;
    for (let place = 0; place < characters.length; place++) {
      const character = characters.charAt(place);
      if (character === text.charAt(start + place)) continue;
      const heard = readings[start + place] ?? NONE;
      if (!this.pinyin.of(character).some((reading) => heard.includes(reading))) return false;
    }
    return true;
  }

  #spells(letters: string, { characters }: Name): boolean {
    if (characters.length > letters.length) return false;
    let ends = [0];
    for (const character of characters) {
      const readings = this.pinyin.of(character);
      ends = ends.flatMap((end) =>
        readings.filter((reading) => letters.startsWith(reading, end)).map((reading) => end + reading.length),
      );
    }
    return ends.includes(letters.length);
  }
}
