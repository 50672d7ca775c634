import { IRREGULAR_PLURALS, WORD_FORMS } from './word-forms.js';

/**
 * The English stemmer of the Snowball project, "Porter2" (https://snowballstem.org/algorithms/english/stemmer.html):
 * `equations` and `equation` give `equat`. Steps and names follow that page, but irregular plurals have the stem of
 * their singular (`axes`, `vertices`), other forms of school words that of the word (`division`, `centre`), and `lens`
 * is no plural. A word with a character other than a-z and the apostrophe is returned as it is.
 */
export function stem(written: string): string {
  const word = IRREGULAR_PLURALS.get(written) ?? WORD_FORMS.get(written) ?? written;
  if (word.length <= 2 || word.length > LONGEST_WORD || !/^[a-z']+$/.test(word)) return word;
  const special = SPECIAL_WORDS.get(word);
  if (special !== undefined) return special;

  let w = markConsonantY(word.replace(/^'/, ''));
  const [r1, r2] = regions(w);
  w = step1a(w.replace(/'s'$|'s$|'$/, ''));
  if (UNCHANGED_AFTER_1A.has(w)) return w;
  w = step1b(w, r1);
  w = w.replace(/^(.+[^aeiouy])[yY]$/, '$1i');
  w = replaceSuffix(w, STEP_2, r1, r2);
  w = replaceSuffix(w, STEP_3, r1, r2);
  w = step4(w, r2);
  w = step5(w, r1, r2);
  return w.replaceAll('Y', 'y');
}

const LONGEST_WORD = 40;

const SPECIAL_WORDS = new Map([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes', 'lens'].map((word) => [word, word] as const),
]);

const UNCHANGED_AFTER_1A = new Set('inning outing canning herring earring proceed exceed succeed'.split(' '));

/** Writes a consonant `y` (at the beginning, or after a vowel) as `Y`. */
function markConsonantY(word: string): string {
  return word.replace(/^y|([aeiouy])y/g, (match) => `${match.slice(0, -1)}Y`);
}

/** The starts of R1 (after the first non-vowel that follows a vowel) and R2 (the same within R1). */
function regions(w: string): readonly [number, number] {
  const after = (from: number): number => {
    const found = w.slice(from).search(/[aeiouy][^aeiouy]/);
    return found < 0 ? w.length : from + found + 2;
  };
  const r1 = /^(?:gener|commun|arsen)/.exec(w)?.[0].length ?? after(0);
  return [r1, after(r1)];
}

function step1a(w: string): string {
  if (w.endsWith('sses')) return w.slice(0, -2);
  if (/(?:ied|ies)$/.test(w)) return w.slice(0, w.length > 4 ? -2 : -1);
  if (/(?:us|ss)$/.test(w)) return w;
  return /[aeiouy].+s$/.test(w) ? w.slice(0, -1) : w;
}

function step1b(w: string, r1: number): string {
  const eed = /eed(?:ly)?$/.exec(w);
  if (eed !== null) return eed.index >= r1 ? `${w.slice(0, eed.index)}ee` : w;
  const suffix = /(?:ed|edly|ing|ingly)$/.exec(w);
  if (suffix === null) return w;
  const rest = w.slice(0, suffix.index);
  if (!/[aeiouy]/.test(rest)) return w;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest)) return DOUBLED_WORD.test(rest) ? rest : rest.slice(0, -1);
  return rest.length <= r1 && endsInShortSyllable(rest) ? `${rest}e` : rest;
}

/** `adding` and `added` have the stem of `add`, since version 3 of Snowball. */
const DOUBLED_WORD = /^[aeo]..$/;

function endsInShortSyllable(w: string): boolean {
  return /(?:^|[^aeiouy])[aeiouy][^aeiouywxY]$|^[aeiouy][^aeiouy]$/.test(w);
}

/**
 * A suffix, its replacement, and the region or preceding letters that it needs. The longest matching suffix decides.
 */
type Rule = readonly [suffix: string, becomes: string, where?: 'r2' | RegExp];

const STEP_2: readonly Rule[] = [
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['iveness', 'ive'],
  ['ization', 'ize'],
  ['ousness', 'ous'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['tional', 'tion'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ation', 'ate'],
  ['entli', 'ent'],
  ['fulli', 'ful'],
  ['iviti', 'ive'],
  ['ousli', 'ous'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['anci', 'ance'],
  ['ator', 'ate'],
  ['enci', 'ence'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['ogi', 'og', /l$/],
  ['li', '', /[cdeghkmnrt]$/],
];

const STEP_3: readonly Rule[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['ative', '', 'r2'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];

function replaceSuffix(w: string, rules: readonly Rule[], r1: number, r2: number): string {
  const rule = rules.find(([suffix]) => w.endsWith(suffix));
  if (rule === undefined) return w;
  const [suffix, becomes, where] = rule;
  const at = w.length - suffix.length;
  const rest = w.slice(0, at);
  const applies = at >= (where === 'r2' ? r2 : r1) && (!(where instanceof RegExp) || where.test(rest));
  return applies ? rest + becomes : w;
}

function step4(w: string, r2: number): string {
  const suffix = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic)$|(ion)$/.exec(w);
  if (suffix === null || suffix.index < r2) return w;
  const rest = w.slice(0, suffix.index);
  return suffix[1] !== undefined && !/[st]$/.test(rest) ? w : rest;
}

function step5(w: string, r1: number, r2: number): string {
  const last = w.length - 1;
  const rest = w.slice(0, last);
  if (w.endsWith('e') && (last >= r2 || (last >= r1 && !endsInShortSyllable(rest)))) return rest;
  if (w.endsWith('ll') && last >= r2) return rest;
  return w;
}
