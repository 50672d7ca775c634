/** `**` between a number, variable or bracket and an exponent; elsewhere two asterisks are emphasis. */
const POWER = /(?<=[\d)\]]|(?<![A-Za-z])[A-Za-z])\*\*(?=[+-]?\d|[A-Za-z](?![A-Za-z])|\()/g;

/** `x*x`, unless it is part of a longer product, name or call. */
const SQUARE = /(?<![\w.*^)\]]|[\w)\]]\*)([A-Za-z])[ ]?\*[ ]?\1(?![\w(^*]|[ ]?\*)/g;

/** `5*x` and `2*(x+1)`, whose sign is omitted in handwriting. */
const COEFFICIENT = /(?<=\d)[ ]?\*[ ]?(?=[A-Za-z(])/g;

/**
 * Converts formulas in program notation to school notation: `x**2` and `x*x` to `x^2`, `5*x` to `5x`. Other asterisks
 * are kept. Linear time for any text.
 */
export function handwritten(text: string): string {
  if (!text.includes('*')) return text;
  return text.replace(POWER, '^').replace(SQUARE, '$1^2').replace(COEFFICIENT, '');
}
