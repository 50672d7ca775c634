import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../config/package-root.js';

/**
 * How Chinese characters are read. By the order of ICU's collation, which needs no file, 279 of 3,110 school terms
 * would be read wrong (点 as di), by this file none; the package `pinyin-pro` takes 25 MB of memory.
 */
export class Pinyin {
  #readings: ReadonlyMap<string, readonly string[]> | undefined;

  /** The syllables of a simplified character, without tones, `v` for ü; none if it is in no line of the file. */
  of(character: string): readonly string[] {
    this.#readings ??= readings();
    return this.#readings.get(character) ?? [];
  }
}

function readings(): ReadonlyMap<string, readonly string[]> {
  const lines = readFileSync(join(packageRoot(), 'src', 'text', 'pinyin.txt'), 'utf8').split('\n');
  const found = new Map<string, readonly string[]>();
  for (const line of lines) {
    if (line === '' || line.startsWith('#')) continue;
    const [syllable = '', characters = ''] = line.split(' ');
    // One array for most characters of a line.
    const only = [syllable];
    for (const character of characters) {
      const others = found.get(character);
      found.set(character, others === undefined ? only : [...others, syllable]);
    }
  }
  return found;
}

/** Pinyin in the letters of the syllables, without blanks and tones: `Dìng lǜ` is dinglv. */
export function pinyinLetters(typed: string): string {
  return typed
    .toLowerCase()
    .normalize('NFD')
    .replace(/u\u0308/g, 'v')
    .replace(/[^a-z]/g, '');
}
