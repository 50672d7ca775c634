/** In characters; longer operands are always put in parentheses. */
const LONGEST_SINGLE = 40;

/** In parentheses unless it is one number or name. */
export function enclosed(text: string, single = /^[\p{L}\p{N}.]*$/u): string {
  if (text.length > LONGEST_SINGLE) return `(${text})`;
  const inner = text.trim();
  return single.test(inner) ? inner : `(${inner})`;
}

export function quotient(numerator: string, denominator: string): string {
  return ` ${enclosed(numerator, /^-?[\p{L}\p{N}.]*$/u)}/${enclosed(denominator)} `;
}

export function power(exponent: string): string {
  if (exponent === '') return ' ';
  if (/^[°'…]$/.test(exponent)) return exponent;
  return /^[+-]?[A-Za-z0-9]{1,12}$|^[+-]$/.test(exponent) ? `^${exponent} ` : `^(${exponent}) `;
}
