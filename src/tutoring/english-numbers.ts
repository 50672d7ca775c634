import type { Spelled } from './chinese-numbers.js';

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const UNITS: Readonly<Record<string, number>> = { hundred: 100, thousand: 1e3, million: 1e6, billion: 1e9 };
const PARTS = 'half|third|quarter|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth'.split('|');

const WORD = [...SMALL, ...TENS, ...Object.keys(UNITS)].sort((a, b) => b.length - a.length).join('|');
const PART = `(?:${PARTS.join('|').replace('half', 'half|halves')})`;

const WORDS = `(?:${WORD})(?:(?:[- ]|(?<=hundred|thousand|million|billion) and )(?:${WORD}))*`;

/**
 * Groups: sign, number, what is added to it and its denominator, decimals, its part (a denominator), denominator.
 * Digits are read with a fraction only.
 */
const NUMBER = new RegExp(
  [
    `(?<![a-z\\d.])(minus |negative )?(${WORDS}|\\d{1,15}(?=[- ]${PART}| over | out of | and (?:a|${WORDS})[- ]${PART}))`,
    `(?: and (a|${WORDS})[- ](${PART})s?| point ((?:${SMALL.join('|')})(?: (?:${SMALL.join('|')})){0,9})`,
    `|[- ](${PART})s?| (?:over|out of) (${WORDS}|\\d+))?(?![a-z\\d])`,
  ].join(''),
  'g',
);

/** The numbers of a text in lower case in English words: forty-five, three quarters, 7 over 8, three and a half. */
export function englishNumbersOf(text: string): readonly Spelled[] {
  return [...text.matchAll(NUMBER)].map(
    ({ 0: found, 1: sign, 2: words = '', 3: added, 4: addedPart, 5: decimals, 6: part, 7: below, index }) => {
      const bottom = below === undefined ? denominatorOf(part) : wholeOf(below);
      const fraction = added === undefined ? 0 : (added === 'a' ? 1 : wholeOf(added)) / denominatorOf(addedPart);
      const value =
        decimals === undefined
          ? wholeOf(words) / bottom + fraction
          : Number(`${wholeOf(words)}.${decimals.split(' ').map(wholeOf).join('')}`);
      return { at: index, end: index + found.length, value: sign === undefined ? value : -value };
    },
  );
}

function denominatorOf(part: string | undefined): number {
  return part === undefined ? 1 : PARTS.indexOf(part.replace('halves', 'half')) + 2;
}

/** The century of a year: `nineteen forty-five`. */
const YEAR = /^(fifteen|sixteen|seventeen|eighteen|nineteen|twenty)(?= (?:ten|[a-z]+teen|[a-z]+ty(?![a-z])))/;

function wholeOf(words: string): number {
  if (/^\d/.test(words)) return Number(words);
  let [all, section] = [0, 0];
  for (const word of words.replace(YEAR, '$1 hundred').split(/[- ]/)) {
    const unit = UNITS[word] ?? 0;
    if (unit === 100) section = (section || 1) * 100;
    else if (unit > 100) [all, section] = [all + (section || 1) * unit, 0];
    else if (word !== 'and') section += TENS.includes(word) ? 10 * TENS.indexOf(word) + 20 : SMALL.indexOf(word);
  }
  return all + section;
}
