import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { Pinyin, pinyinLetters } from '../../../src/text/pinyin.js';
import { schoolSynonyms } from '../../../src/text/synonyms.js';
import { schoolTerms } from '../../../src/text/tokenizer.js';

const pinyin = new Pinyin();
const lines = readFileSync(join(packageRoot(), 'src', 'text', 'pinyin.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** The characters of GB 2312, as they are encoded. */
function charactersOfGb2312(): readonly string[] {
  const decoder = new TextDecoder('gb2312');
  const rows = Array.from({ length: 0xf7 - 0xb0 + 1 }, (_, row) => row + 0xb0);
  const places = Array.from({ length: 0xfe - 0xa1 + 1 }, (_, place) => place + 0xa1);
  return rows
    .flatMap((row) => places.map((place) => decoder.decode(Uint8Array.of(row, place))))
    .filter((character) => /^\p{Script=Han}$/u.test(character));
}

describe('the readings of characters', () => {
  test('are known of all of GB 2312, and of no others', () => {
    const characters = charactersOfGb2312();
    expect(characters).toHaveLength(6_763);
    expect(characters.filter((character) => pinyin.of(character).length === 0)).toEqual([]);
    expect([...new Set(lines.flatMap((line) => [...(line.split(' ')[1] ?? '')]))]).toHaveLength(6_763);
  });

  test('are syllables in ascending order, with each of their characters once', () => {
    expect(lines.filter((line) => !/^[a-z]{1,6} \p{Script=Han}+$/u.test(line))).toEqual([]);
    const syllables = lines.map((line) => line.split(' ')[0]);
    expect(syllables).toEqual([...new Set(syllables)].sort());
    for (const line of lines) {
      const characters = [...(line.split(' ')[1] ?? '')];
      expect(new Set(characters).size, line).toBe(characters.length);
    }
  });

  test.each([
    ['勾', ['gou']],
    ['长', ['chang', 'zhang']],
    ['率', ['lv', 'shuai']],
    ['奇', ['ji', 'qi']],
    ['重', ['chong', 'zhong']],
    ['行', ['hang', 'xing']],
    ['略', ['lue', 'lve']],
    ['勝', []],
    ['a', []],
    ['', []],
  ])('of %j are %j', (character, readings) => {
    expect(pinyin.of(character)).toEqual(readings);
  });

  test('are known of each character of the school terms', () => {
    const terms = [...schoolSynonyms().flatMap(({ names, said = [] }) => [...names, ...said]), ...schoolTerms()];
    const characters = new Set(terms.join('').match(/\p{Script=Han}/gu));
    expect(characters.size).toBeGreaterThan(900);
    expect([...characters].filter((character) => pinyin.of(character).length === 0)).toEqual([]);
  });
});

test.each([
  ['gou gu ding li', 'gougudingli'],
  ['Gōu gǔ dìng lǐ', 'gougudingli'],
  ['dìng lǜ', 'dinglv'],
  ['dinglü', 'dinglv'],
  ["ping'an", 'pingan'],
])('%s has the letters %s', (typed, letters) => {
  expect(pinyinLetters(typed)).toBe(letters);
});
