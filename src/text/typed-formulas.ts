type Meaning = string | ((written: string, ...groups: readonly string[]) => string);

/** A text with a match of the pattern contains one of the strings; without strings, it is tried on each text. */
type Typed = readonly [readonly string[], RegExp, Meaning];

const NUMERALS = '一二三四五六七八九十';

/** The end of an operand, and the start of one: a number, a variable or a bracket. */
const BEFORE = '(?<=[\\d)}]|(?<![A-Za-z\\\\])[b-hj-zB-HJ-Z])';
const AFTER = '(?=-?\\d|\\(|[b-z](?![A-Za-z]))';

/** 三分之二; not 三分之二十 */
const FRACTION = `([二三四五六七八九十])分之([一二三四五六七八九])(?![${NUMERALS}百])`;
const BETWEEN = ' ?[加减乘除][上去以]? ?';

/** By their numbers. */
const COUNTS = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const PARTS = ['', '', 'half', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const PART = [...PARTS.slice(2), 'quarter'].join('|');
const SEVERAL = COUNTS.slice(2).map((count) => `[${count[0]?.toUpperCase()}${count[0]}]${count.slice(1)}`);
const WHOLES = `(?:[Oo]ne|${SEVERAL.join('|')}|[Tt]en|[Ee]leven|[Tt]welve|teen|ty)`;

/** `mol·L` and `\mathrm{m\cdot s}` before a negative exponent: a unit, and the one by which it is divided. */
const PER_UNIT =
  '(?<=(?<![A-Za-z\\\\])(?:[kcm]?m|[km]?g|k?J|m?mol|kW|[NWCVK])\\}?) ?(?:(?:[·⋅∙]|\\\\cdot|\\\\,) ?)?' +
  '(?:\\\\(?:mathrm|text|rm) ?\\{(m?L|[cdk]?m|kg|mol|min|[shgKCNVA])\\}|(m?L|[cdk]?m|kg|mol|min|[shgKCNVA]))';

/** `24 times 35`, 52减27 */
function operator(words: readonly string[], sign: string): Typed {
  return [words, new RegExp(`${BEFORE} ?(?:${words.join('|')})(?![A-Za-z]) ?${AFTER}`, 'g'), sign];
}

/**
 * Formulas as they are typed without signs, or said in words, each with its meaning in school notation or LaTeX. No
 * pattern reads more than a few characters around a match, so any text takes linear time.
 */
export const TYPED: readonly Typed[] = [
  // `.5`, `1.5e3`, `+/-3`. With any number of digits CogTutorBugs has an MRR of .731 instead of .733.
  [['.'], /(?<![\p{L}\p{N}.)])\.(?=\d{1,2}(?!\d))/gu, '0.'],
  [['e', 'E'], /(?<![\p{L}\p{N}.])(\d{1,20}(?:\.\d{1,20})?)[eE]([+-]?\d{1,3})(?![\p{L}\p{N}]|\.\d)/gu, '$1×10^{$2}'],
  [['+/-'], /\+\/-/g, '±'],
  // `24x35` and `2 m x 50 cm`; in `3x4`, x may be a variable.
  [['x', 'X'], /(?<![\p{L}\p{N}.^_])(\d{2,15})[xX](?=\d{1,15}(?![\p{L}\p{N}^_]))/gu, '$1×'],
  [['x', 'X'], /(?<![\p{L}\p{N}.^_])(\d)[xX](?=\d{2,15}(?![\p{L}\p{N}^_]))/gu, '$1×'],
  [['x', 'X'], /(?<=\d ?[mcdk]?m) ?[xX] ?(?=\d)/g, ' × '],
  [['x10', 'X10'], /(?<=\d)[xX](?=10(?:\^|\*\*|[⁻⁰-⁹¹²³]))/g, '×'],
  // AB//CD; A//b may be a quotient of a program.
  [['//', '‖'], /(?<=(?<![A-Za-z])(?:[A-Z]{2}|[α-γ]) ?)(?:\/\/|‖)(?= ?(?:平面|[A-Z]{2}(?![A-Za-z])|[α-γ]))/g, '∥'],
  // (x-1)2=16, copied without its layout; not one factor of several
  [
    [')2', ')3'],
    /(?<=(?<!\)\d ?[·⋅×*/÷]? ?)\([^()A-Z,，]{0,20}[-+−－][^()A-Z,，]{1,20}\))([23])(?=\s?[=<>≤≥+−-])/g,
    '^{$1}',
  ],
  // `cm2`, `m/s2`; elsewhere `m2` and `s2` are variables.
  [['m2', 'm3', 's2', 's3'], /((?<![A-Za-z\\])[mcdk]m|(?<=\d ?)m|(?<=\/ ?)[ms])([23])(?![\p{L}\p{N}])/gu, '$1^{$2}'],
  // `mol·L⁻¹`, `m\cdot s^{-2}`
  [['-1'], /(?<=\d ?m?mol ?[·⋅] ?L)-1(?!\d)/g, '^{-1}'],
  [['-1', '−1', '⁻'], new RegExp(`${PER_UNIT}(?:\\^\\{[-−]1\\}|\\^[-−]1(?!\\d)|⁻¹|⁻(?=[²³]))`, 'g'), '/$1$2'],
  [['^-', '^−', '^{-', '^{−'], new RegExp(`${PER_UNIT}(\\^\\{|\\^)[-−](?=[23])`, 'g'), '/$1$2$3'],
  // `SO42-`, `Fe3+`, and `SO4^2-`, of which only the digit would be raised; `H2+O2` is a sum.
  [
    ['2+', '2-', '3+', '3-'],
    /(?<![A-Za-z])([SC]O[34]|H?PO4|S2O3|Cr2O7|Ca|Mg|Ba|Cu|Fe|Zn|Al|Pb)([23][+-])(?![\w(])/g,
    '$1^{$2}',
  ],
  [['^'], /(?<=[A-Z][a-z]?\d?)\^(\d[+-])(?!\s?[\w(\\√])/g, '^{$1}'],
  // `v0t`, and ½at² and ½mv² as `1/2at2`
  [['0'], /(?<![A-Za-z\\])([a-z]0)(?=[a-z](?![A-Za-z]))/g, '$1 '],
  [['2'], /(?<=(?:1 ?\/ ?2|½) ?)([a-z])([a-z])2(?![\p{L}\p{N}])/gu, '$1 $2^{2}'],
  // `xe^x` and `kx²` are products of two variables; `cm^2` is a unit, `of` a word.
  [
    ['^', '²', '³', 'ˣ'],
    /(?<![A-Za-z\\])(?![mcdk]m|in|ft|ln|lg|ms|of|or|if|is|to|on|so|no|do|we)([a-z])(?=[a-z][\^²³ˣ])/g,
    '$1 ',
  ],
  [['\\mathrm'], /(?<=[a-z])\\mathrm ?\{e\}(?=\s?\^)/g, ' e'],
  // Units: `30 degrees`, 20摄氏度, `20 percent`, 百分之20, `5 ohm`
  [[], /(?<=\d)[ -]?(?:degrees?|deg) ?(?:celsius|c)(?![A-Za-z])/gi, '°C'],
  [[], /(?<=\d)[ -]?(?:degrees?|deg)(?![A-Za-z])/gi, '°'],
  [['摄'], /(?<=\d) ?摄氏度/g, '°C'],
  [['度'], /(?<=\d) ?度(?![电数])/g, '°'],
  [[], /(?<=\d) ?per ?cent(?![A-Za-z])/gi, '%'],
  [['百分'], /百分之(\d{1,3}(?:\.\d{1,2})?)/g, '$1%'],
  [[], /(?<=\d) ?(?:ohms?(?![A-Za-z])|欧姆?(?![元洲]))/gi, 'Ω'],
  // 二分之一加三分之一. With every 三分之一, Chinese mathematics had an MRR of .356 instead of .359.
  [
    ['分之'],
    new RegExp(
      `(?<![${NUMERALS}百几])(?:${FRACTION}(?=${BETWEEN}[${NUMERALS}]分之)|(?<=分之.${BETWEEN})${FRACTION})`,
      'g',
    ),
    (_, below = '', above = '', second = '', aboveSecond = '') => fractionOf(above || aboveSecond, below || second),
  ],
  // `one half plus two-thirds`, `three quarters`; not `one and two fifths`
  [
    [...PARTS.slice(2), 'halves', 'quarter'],
    new RegExp(
      `(?<![A-Za-z-]|${WHOLES} and )(?:([Oo]ne)[ -](${PART})|(${SEVERAL.join('|')})[ -](halve|${PART})s)(?![A-Za-z])`,
      'g',
    ),
    (_, one = '', part = '', count = '', parts = '') => {
      const below = (part || parts).replace('halve', 'half').replace('quarter', 'fourth');
      return `${COUNTS.indexOf((one || count).toLowerCase())}/${PARTS.indexOf(below)}`;
    },
  ],
  // Powers and roots: `x squared`, x的平方, 2的三次方, 根号16. "A squared number" and "I squared it" are none.
  [['squared'], new RegExp(`${BEFORE}[ -]?squared(?![A-Za-z])`, 'g'), '^{2}'],
  [['cubed'], new RegExp(`${BEFORE}[ -]?cubed(?![A-Za-z])`, 'g'), '^{3}'],
  [['的'], /(?<=[\dA-Za-z)]) ?的([平立])方(?![根和差厘分米千])/g, (_, word) => (word === '平' ? '^{2}' : '^{3}')],
  [
    ['次'],
    new RegExp(`(?<=[\\dA-Za-z)]) ?的([${NUMERALS}]|\\d{1,3}|[nm])次[方幂](?![程根])`, 'g'),
    (_, exponent = '') => `^{${NUMERALS.indexOf(exponent) + 1 || exponent}}`,
  ],
  [['根号'], /根号(?= ?[\dA-Za-z(])/g, '√'],
  operator(['times', 'multiplied by', '乘以', '乘'], '×'),
  operator(['divided by', '除以'], '÷'),
  operator(['plus', '加上', '加'], '+'),
  operator(['minus', '减去', '减'], '-'),
  operator(['equals', '等于'], '='),
];

const SAID_FRACTION = new RegExp(`(?<![${NUMERALS}百几])${FRACTION}`, 'g');

/** The text with 3/4 for 四分之三, except where `isKept`, which is called once for each different fraction. */
export function digitFractions(text: string, isKept: (words: string) => boolean): string {
  const kept = new Map<string, boolean>();
  return text.replace(SAID_FRACTION, (words, below: string, above: string) => {
    const isKnown = kept.get(words) ?? isKept(words);
    kept.set(words, isKnown);
    return isKnown ? words : fractionOf(above, below);
  });
}

function fractionOf(above: string, below: string): string {
  return `${NUMERALS.indexOf(above) + 1}/${NUMERALS.indexOf(below) + 1}`;
}

/** The variable itself as a part of a formula: 5x, -x, f(x). */
const VARIABLE = /(?<=[-+−=(\d] ?[a-w]?)[xy](?![A-Za-z\d_^₀-₉]| ?[,，])/g;
/**
 * In `x2-5x+6=0`, copied without its layout, x2 is a power. Without the variable itself, or in a text with x1 or a list
 * of such names, it is an unknown.
 */
const LOST_POWER =
  /(?<![A-Za-z\\][A-Za-z]|[A-Z\\])([xy])([2-4])(?:(?=\s?[=<>≤≥+−-])|(?<=[=+−-] ?\d{0,3}[a-w]?..)(?![\p{L}\p{N}_^/]|\.\d))/gu;
const UNKNOWNS = /[xy](?:[01₀-₉]|_|\d ?[,，、;；)）])/;

/** In a text about a sequence `{an}`, an and Sn are a_n and S_n; before a word, an is an article. */
const SEQUENCE = /(?<![A-Za-z\]}^_])\{ ?[a-d]n ?\\?\}/;
const TERM = /(?<![A-Za-z\\])(?!an\s[A-Za-z\d])([a-dST])n(?![A-Za-z])/g;

/** Lines of small letters, a//b, in a text about lines; elsewhere it is a quotient or a comment of a program. */
const LINES = /直线|平面|平行|∥/;
const PARALLEL =
  /(?<=(?<![A-Za-z])(?:[A-Z]{1,2}|[a-z]\d?|[α-γ]) ?)(?:\/\/|‖)(?= ?(?:平面|[A-Z]{1,2}(?![A-Za-z])|[a-zα-γ](?![a-z])))/g;

/** Formulas typed without signs, or said in words, in school notation: `.5` as 0.5, `x squared` as x². */
export function typedFormulas(text: string): string {
  const raised = UNKNOWNS.test(text) ? text : withPowers(text);
  const indexed = SEQUENCE.test(raised) ? raised.replace(TERM, '$1_n') : raised;
  const parallel = LINES.test(indexed) ? indexed.replace(PARALLEL, '∥') : indexed;
  return TYPED.reduce(
    (written, [strings, pattern, meaning]) =>
      strings.length === 0 || strings.some((string) => written.includes(string))
        ? written.replace(pattern, meaning as string)
        : written,
    parallel,
  );
}

function withPowers(text: string): string {
  const variables = new Set<string>(text.match(VARIABLE));
  return text.replace(LOST_POWER, (name: string, variable: string, exponent: string) =>
    variables.has(variable) ? `${variable}^{${exponent}}` : name,
  );
}
