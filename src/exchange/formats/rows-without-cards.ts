/** Rows below a header that are no cards. */
import { cleanText, comparedName } from '../../domain/clean-text.js';
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

/** Of the title of a section: longer texts are questions. */
const MAX_TITLE_CHARS = 120;

/** The number of a section: 一、 (二) 第一部分 II. */
const SECTION_NUMBER = String.raw`\(?(?:第?[一二三四五六七八九十]{1,3}(?:部分|大题)?|[ivx]{1,4})(?:[、.,:)] ?| )`;
const TYPE =
  '(?:(?:单项|多项|不定项|单|多)?选择|(?:语法|完形|选词)?填空|判断|解答|计算|(?:综合)?应用|简答|问答|作图|操作|(?:实验)?探究|实验|综合|论述|材料分析|证明|翻译|默写|改错|阅读(?:理解)?|解决问题|书面表达|作文)';
/** How many questions and points it has, or what is to be done: (每小题3分), :本大题共6小题, :对的打√。(10分), (要求写出过程). */
const ABOUT = String.raw`(?: ?[:,。(]? ?(?:本|共|每|满分)[^?=_]*(?:\d ?分|小题)[^?=_]*|[^?=_\d]*\([^()?=_]*\d ?分\)| ?\([\p{Script=Han},、。 ]+\))?[。.:]?`;
const FORMS = [
  RegExp(String.raw`^(?:${SECTION_NUMBER}|\d{1,2}[、.] ?)?${TYPE}题${ABOUT}$`, 'u'),
  RegExp(`^${SECTION_NUMBER}${TYPE}${ABOUT}$`, 'u'),
  /^第 ?(?:[一二三四五六七八九十]{1,3}|\d{1,2}) ?(?:章|单元)(?:[ :][^?=_()]{1,20})?$/,
];

/**
 * The title of a section, such as 二、填空题（每空2分，共20分） or 第一章 有理数, if a row has nothing else; undefined for
 * other rows.
 */
export function sectionIn(values: readonly CellValue[]): string | undefined {
  const [title, ...others] = values.filter((value) => !isEmpty(value));
  if (typeof title !== 'string' || title.length > MAX_TITLE_CHARS || others.length > 0) return undefined;
  const name = comparedName(title);
  return FORMS.some((form) => form.test(name)) ? title.trim() : undefined;
}
