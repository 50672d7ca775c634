/** `**` between a number, variable or bracket and an exponent; elsewhere two asterisks are emphasis. */
const POWER = /(?<=[\d)\]]|(?<![A-Za-z])[A-Za-z])\*\*(?=[+-]?\d|[A-Za-z](?![A-Za-z])|\()/g;

/** `x*x`, unless it is part of a longer product, name or call. */
const SQUARE = /(?<![\w.*^)\]]|[\w)\]]\*)([A-Za-z])[ ]?\*[ ]?\1(?![\w(^*]|[ ]?\*)/g;

/** `5*x`, `2*(x+1)` and `2*π`, whose sign is omitted in handwriting; `π*r` too. */
const COEFFICIENT = /(?<=[\dπ])[ ]?\*[ ]?(?=[A-Za-zπ(])/g;

/** `3 x 4` */
const LETTER_TIMES = /(?<=\d) [xX] (?=\d)/g;

/** Signs that keyboards lack. `5!=120` and `n!=6` are factorials, and `<=>` and `<->` are no comparisons. */
const SIGNS = /(?<![<=>-])(?:<=|=<|>=|-{1,2}>)(?![=>])|(?<=\s|(?<![A-Za-z])[a-cx-z])!=(?!=)/g;
const SIGN_MEANINGS: Readonly<Record<string, string>> = {
  '<=': '≤',
  '=<': '≤',
  '>=': '≥',
  '!=': '≠',
  '->': '→',
  '-->': '→',
};

/** `sqrt(2)`, `pi` and `theta`, but not LaTeX's commands. */
const NAMES = /(?<![A-Za-z\\])(?:sqrt|pi|theta)(?![A-Za-z])/g;
const NAME_MEANINGS: Readonly<Record<string, string>> = { sqrt: '√', pi: 'π', theta: 'θ' };

/**
 * Converts formulas in program notation to school notation: `x**2` and `x*x` to `x^2`, `5*x` to `5x`, `<=` to `≤`,
 * `sqrt(2)` to `√(2)`. Other asterisks are kept. Linear time for any text.
 */
export function handwritten(text: string): string {
  const named = text.replace(NAMES, (name) => NAME_MEANINGS[name] ?? name);
  const signed = named.replace(SIGNS, (sign) => SIGN_MEANINGS[sign] ?? sign).replace(LETTER_TIMES, ' × ');
  if (!signed.includes('*')) return signed;
  return signed.replace(POWER, '^').replace(SQUARE, '$1^2').replace(COEFFICIENT, '');
}
