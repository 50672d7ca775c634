const DIGITS = '零一二三四五六七八九';
const UNITS: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1_000 };
const LARGE: Readonly<Record<string, number>> = { 万: 1e4, 亿: 1e8 };

/** With blanks only beside a unit: 二 十 一. */
const WHOLE =
  '(?:[零一二两三四五六七八九十百千万亿廿卅]|(?<=[一二两三四五六七八九]) (?=[十百千])|(?<=[十百千]) (?=[一二三四五六七八九]))+';

/** Groups: sign, whole part of a mixed number, denominator, number or numerator, decimals. */
const NUMBER = new RegExp(
  `(正?负|零下)?(?:(${WHOLE}|(?<![\\d.])\\d{1,9}(?=又))又)?(?:(${WHOLE}|(?<!\\d)\\d+)\\s*分之\\s*)?(${WHOLE}|(?=\\d)(?<=分之\\s*|又)\\d+(?:\\.\\d+)?(?:/\\d+)?)(?:点([${DIGITS}]+))?`,
  'g',
);

export interface Spelled {
  readonly at: number;
  readonly end: number;
  readonly value: number;
}

/**
 * The numbers that a text has in Chinese words, such as 二十一, 负七, 四分之三, 8 分之 7, 三点五, 三万五, 1 又 2/5, and with
 * digits in words for halves, discounts and money: 两个半小时, 8.5 折, 12 元 5 角.
 */
export function chineseNumbersOf(text: string): readonly Spelled[] {
  const spelled = [...text.matchAll(NUMBER)].flatMap(
    ({ 0: found, 1: sign, 2: whole, 3: bottom, 4: top = '', 5: decimals, index }) => {
      const [upper = '', lower] = top.split('/');
      const number = decimals === undefined ? wholeOf(upper) : Number(`${wholeOf(upper)}.${digitsOf(decimals)}`);
      const part = number / wholeOf(bottom ?? lower ?? '一');
      const value = (whole === undefined ? 0 : wholeOf(whole)) + part;
      const end = index + found.length;
      const one = { at: index, end, value: sign === undefined ? value : -value };
      // 五千米 are 5 km too.
      const [, prefixed] = UNIT_BEHIND.test(text.slice(end, end + 1)) ? (PREFIXED.exec(found) ?? []) : [];
      return prefixed === undefined ? [one] : [one, { at: index, end: end - 1, value: wholeOf(prefixed) }];
    },
  );
  const worded = WORDED.flatMap(([pattern, readAs]) =>
    [...text.matchAll(pattern)].map(({ 0: found, index, groups = {} }) => ({
      at: index,
      end: index + found.length,
      value: readAs(groups),
    })),
  );
  return worded.length === 0 ? spelled : [...spelled, ...worded];
}

const PREFIXED = /^([一二两三四五六七八九十百]{1,6})千$/;
const UNIT_BEHIND = /^[米克瓦焦帕伏]/;

const COUNT = '(?<![\\d./])(?<count>\\d{1,9}(?:\\.\\d{1,9})?|[一二两三四五六七八九十百]{1,5})';

type Groups = Readonly<Record<string, string | undefined>>;

function countOf({ count = '' }: Groups): number {
  return wholeOf(count);
}

const WORDED: readonly (readonly [RegExp, (groups: Groups) => number])[] = [
  [/一半(?!径|圆)/gu, () => 0.5],
  [
    new RegExp(`${COUNT}\\s?(?:个半(?![径圆数球])|(?:个?小时|年|天|米|千克|公斤|元|倍|吨|岁|里)半(?![径圆数球]))`, 'g'),
    (groups) => countOf(groups) + 0.5,
  ],
  [new RegExp(`${COUNT}\\s?折(?!线|叠|成|射)`, 'g'), (groups) => countOf(groups) / (countOf(groups) < 10 ? 10 : 100)],
  [
    /(?<![\d.])(?<yuan>\d{1,9})\s?(?:块|元(?=\s?\d\s?[角毛]))\s?(?<jiao>\d)(?![\d.])\s?(?:[角毛]\s?(?:(?<fen>\d)\s?分)?|(?!\s?\p{Script=Han}))/gu,
    ({ yuan, jiao, fen = '0' }) => Number(`${yuan}.${jiao}${fen}`),
  ],
  [
    /(?<![\d.])(?<wan>\d{1,4})\s?万\s?(?<qian>\d)\s?千?(?![\d.])/g,
    ({ wan, qian }) => Number(wan) * 1e4 + Number(qian) * 1e3,
  ],
];

/** Of a whole number; one without units, such as 二零二六, is read digit by digit, and 三万五 is 35000. */
function wholeOf(words: string): number {
  if (/^\d/.test(words)) return Number(words);
  const written = words.replace(/\s+/g, '').replace('廿', '二十').replace('卅', '三十');
  if (!/[十百千万亿]/.test(written)) return Number(digitsOf(written));
  let [all, section, digit, last] = [0, 0, 0, 1];
  for (const word of written) {
    const unit = UNITS[word];
    const large = LARGE[word];
    if (unit !== undefined) [section, digit, last] = [section + (digit || 1) * unit, 0, unit];
    else if (large !== undefined) {
      const below = section + digit;
      [all, section, digit, last] = [large > 1e4 ? (all + below) * large : all + below * large, 0, 0, large];
    } else [digit, last] = [Number(digitsOf(word)), word === '零' ? 10 : last];
  }
  return all + section + digit * Math.max(1, last / 10);
}

function digitsOf(words: string): string {
  return [...words].map((word) => (word === '两' ? 2 : DIGITS.indexOf(word))).join('');
}
