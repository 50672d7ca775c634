const DIGITS = '零一二三四五六七八九';
const UNITS: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1_000 };

const WHOLE = '[零一二两三四五六七八九十百千万]+';

/** Groups: sign, whole part of a mixed number, denominator, number or numerator, decimals. */
const NUMBER = new RegExp(
  `(负)?(?:(${WHOLE})又)?(?:(${WHOLE}|\\d+)\\s*分之\\s*)?(${WHOLE}|(?=\\d)(?<=分之\\s*)\\d+(?:\\.\\d+)?)(?:点([${DIGITS}]+))?`,
  'g',
);

/** The numbers that a text has in Chinese words, such as 二十一, 负七, 四分之三, 8 分之 7 and 三点五, in order. */
export function chineseNumbersOf(text: string): readonly { readonly at: number; readonly value: number }[] {
  return [...text.matchAll(NUMBER)].map(({ 1: sign, 2: whole, 3: bottom, 4: top = '', 5: decimals, index }) => {
    const number = decimals === undefined ? wholeOf(top) : Number(`${wholeOf(top)}.${digitsOf(decimals)}`);
    const value = (whole === undefined ? 0 : wholeOf(whole)) + number / (bottom === undefined ? 1 : wholeOf(bottom));
    return { at: index, value: sign === undefined ? value : -value };
  });
}

/** Of a whole number; one without units, such as 二零二六, is read digit by digit. */
function wholeOf(words: string): number {
  if (/^\d/.test(words)) return Number(words);
  if (!/[十百千万]/.test(words)) return Number(digitsOf(words));
  let [all, section, digit] = [0, 0, 0];
  for (const word of words) {
    const unit = UNITS[word];
    if (unit !== undefined) [section, digit] = [section + (digit || 1) * unit, 0];
    else if (word === '万') [all, section, digit] = [all + (section + digit) * 10_000, 0, 0];
    else digit = Number(digitsOf(word));
  }
  return all + section + digit;
}

function digitsOf(words: string): string {
  return [...words].map((word) => (word === '两' ? 2 : DIGITS.indexOf(word))).join('');
}
