const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const UNITS: Readonly<Record<string, number>> = { hundred: 100, thousand: 1_000, million: 1_000_000 };
const PARTS = 'half|third|quarter|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth'.split('|');

const WORD = [...SMALL, ...TENS, ...Object.keys(UNITS)].sort((a, b) => b.length - a.length).join('|');
const PART = `(?:${PARTS.join('|').replace('half', 'half|halves')})`;

const WORDS = `(?:${WORD})(?:(?:[- ]|(?<=hundred|thousand|million) and )(?:${WORD}))*`;

/** Groups: sign, number, its part (a denominator), denominator. Digits are read with a denominator only. */
const NUMBER = new RegExp(
  `(?<![a-z\\d.])(minus |negative )?(${WORDS}|\\d+(?=[- ]${PART}| over | out of ))(?:[- ](${PART})s?| (?:over|out of) (${WORDS}|\\d+))?(?![a-z\\d])`,
  'g',
);

/** The numbers of a text in lower case in English words: forty-five, one hundred and two, three quarters, 7 over 8. */
export function englishNumbersOf(text: string): readonly { readonly at: number; readonly value: number }[] {
  return [...text.matchAll(NUMBER)].map(({ 1: sign, 2: words = '', 3: part, 4: below, index }) => {
    const bottom = part === undefined ? 1 : PARTS.indexOf(part.replace('halves', 'half')) + 2;
    const value = wholeOf(words) / (below === undefined ? bottom : wholeOf(below));
    return { at: index, value: sign === undefined ? value : -value };
  });
}

function wholeOf(words: string): number {
  if (/^\d/.test(words)) return Number(words);
  let [all, section] = [0, 0];
  for (const word of words.split(/[- ]/)) {
    const unit = UNITS[word] ?? 0;
    if (unit === 100) section = (section || 1) * 100;
    else if (unit > 100) [all, section] = [all + (section || 1) * unit, 0];
    else if (word !== 'and') section += TENS.includes(word) ? 10 * TENS.indexOf(word) + 20 : SMALL.indexOf(word);
  }
  return all + section;
}
