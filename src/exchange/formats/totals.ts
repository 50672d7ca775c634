import { cleanText } from '../../domain/clean-text.js';
import type { ColumnMapping } from '../../domain/import.js';
import { fieldOfHeader } from './card-input.js';
import { fieldOf, foldHeader } from './header-names.js';
import { CellError, type CellValue, isEmpty, ShownNumber } from './source.js';
import { isNoValue } from './values/lists.js';

/** Names of the rows that close a table of a class. Without 平均数 and `sum`: they are topics of mathematics. */
const TOTALS: ReadonlySet<string> = new Set(
  '合计 总计 共计 小计 汇总 平均 平均值 平均分 均分 total totals subtotal subtotals grandtotal average avg'.split(' '),
);

/** A number with a unit of such tables: 35, 85.5%, 12人. */
const NUMBER = /^[-+]?\d[\d,]*(?:\.\d+)? ?[%分人题道次个]?$/;

/**
 * The name of a row of totals or averages, such as 合计 in `合计,,21`; undefined for other rows. It has no text but such
 * names, and neither a row number, an id nor a number as the question. A table with one column is a list of words, in
 * which "total" may be one.
 */
export function totalIn(
  columns: readonly (string | null)[],
  values: readonly CellValue[],
  mapping: ColumnMapping,
): string | undefined {
  const isOfCard = (name: string): boolean =>
    fieldOf(name) === null || ['questionText', 'id'].includes(String(fieldOfHeader(name, mapping)));
  if (columns.every((name) => name === null || isOfCard(name))) return undefined;
  let total: string | undefined;
  for (const [place, value] of values.entries()) {
    if (isEmpty(value)) continue;
    const name = columns[place] ?? null;
    if (typeof value === 'string' && TOTALS.has(foldHeader(value.slice(0, 100)))) total ??= cleanText(value);
    else if (!isNumber(value) || (name !== null && isOfCard(name))) return undefined;
  }
  return total;
}

function isNumber(value: CellValue): boolean {
  if (typeof value !== 'string') return typeof value === 'number' || isOfFormula(value);
  const text = cleanText(value);
  return NUMBER.test(text) || isNoValue(text);
}

function isOfFormula(value: CellValue): boolean {
  return value instanceof ShownNumber || value instanceof CellError;
}
