/** `**` after a number, a variable or a bracket, and before an exponent; elsewhere two stars are emphasis. */
const POWER = /(?<=[\d)\]]|(?<![A-Za-z])[A-Za-z])\*\*(?=[+-]?\d|[A-Za-z](?![A-Za-z])|\()/g;

/** `x*x`, and not a part of a longer product, name or call. */
const SQUARE = /(?<![\w.*^)\]]|[\w)\]]\*)([A-Za-z])[ ]?\*[ ]?\1(?![\w(^*]|[ ]?\*)/g;

/** `5*x` and `2*(x+1)`, which are written without a sign by hand. */
const COEFFICIENT = /(?<=\d)[ ]?\*[ ]?(?=[A-Za-z(])/g;

/**
 * Formulas as programs write them in the notation of school: `x**2` as `x^2`, `x*x` as `x^2`, `5*x` as `5x`. Other stars stay.
 * Linear time for any text.
 */
export function handwritten(text: string): string {
  if (!text.includes('*')) return text;
  return text.replace(POWER, '^').replace(SQUARE, '$1^2').replace(COEFFICIENT, '');
}
