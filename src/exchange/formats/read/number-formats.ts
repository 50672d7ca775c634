/** What the formats of numbers in a workbook mean. The preview of the studio tells dates by this module too. */

export interface FractionFormat {
  /** False: 3/2 instead of 1 1/2. */
  readonly hasWhole: boolean;
  /** The denominator, or the greatest one. */
  readonly denominator: number;
  readonly isFixed: boolean;
}

export interface DecimalFormat {
  /** Null: as many as the number has. */
  readonly decimals: number | null;
  /** Behind the number, such as ° or 元. */
  readonly unit: string;
}

export type NumberMeaning = 'DATE' | 'HOURS' | 'PERCENT' | 'NUMBER' | DecimalFormat | FractionFormat;

/** Of built-in formats; 27 to 36 and 50 to 58 are of Chinese and Japanese Excel. 48 is ##0.0E+0, and 49 is text. */
const DATES: readonly (readonly [first: number, last: number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];

/** Built-in formats have no code in the file. */
export function meaningOfBuiltin(format: number): NumberMeaning {
  if (format === 9 || format === 10) return 'PERCENT';
  if (format === 2 || format === 4) return { decimals: 2, unit: '' };
  if (format === 12 || format === 13) {
    return { hasWhole: true, denominator: format === 12 ? 9 : 99, isFixed: false };
  }
  if (format === 46) return 'HOURS';
  return DATES.some(([first, last]) => first <= format && format <= last) ? 'DATE' : 'NUMBER';
}

/**
 * Outside of quoted texts and colours, the format of a date contains years, months, days or hours; [h] are elapsed
 * hours, also more than 24. Of the other formats those of decimals, also with a unit, and fractions are known, with a
 * blank behind them or without: 0.00 and `0.00_ `.
 */
export function meaningOfCode(code: string): NumberMeaning {
  const plain = code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, '');
  if (plain.includes('%')) return 'PERCENT';
  if (/\[h+\]:m/i.test(code)) return 'HOURS';
  if (!/general/i.test(plain) && /[ymdhs]/i.test(plain)) return 'DATE';
  return decimalsOf(code) ?? fractionOf(code) ?? 'NUMBER';
}

/** `0.00`, `#,##0.00`, `0"°"`, `#,##0.0"元"` or `General"元"`; whole numbers without a unit are shown as they are. */
const DECIMALS = /^(?:General|(?:#,##)?0(?:\.(?<decimals>0{1,15}))?)(?:"(?<unit>[^"]{1,20})")?(?:_.)?(?:;|$)/i;

function decimalsOf(code: string): DecimalFormat | undefined {
  const parts = DECIMALS.exec(code)?.groups;
  if (parts === undefined || (parts.decimals === undefined && parts.unit === undefined)) return undefined;
  const decimals = /^general/i.test(code) ? null : (parts.decimals?.length ?? 0);
  return { decimals, unit: parts.unit ?? '' };
}

/** `# ?/?`, `# ???/???` or `?/4`, with escaped blanks or without; more than three digits are not looked for. */
const FRACTION =
  /^(?<whole>[#0](?:\\? |" ")+)?[?#0]{1,3}\/(?:(?<digits>[?#0]{1,3})|(?<fixed>[1-9]\d{0,3}))(?:_.)?(?:;|$)/;

function fractionOf(code: string): FractionFormat | undefined {
  const parts = FRACTION.exec(code)?.groups;
  if (parts === undefined) return undefined;
  const denominator = parts.fixed === undefined ? 10 ** (parts.digits?.length ?? 1) - 1 : Number(parts.fixed);
  return { hasWhole: parts.whole !== undefined, denominator, isFixed: parts.fixed !== undefined };
}
