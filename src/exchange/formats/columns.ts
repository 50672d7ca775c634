import { CARD_CONTENT, type ContentField } from '../../domain/card-content.js';
import { letterOf } from '../../domain/choices.js';
import { CARD_FIELDS, type CardField as Field } from '../../domain/import.js';
import type { Language } from '../../domain/language.js';
import { simplified } from '../../domain/simplified.js';
import { FILE_FIELDS } from './file-fields.js';
import { foldHeader, MAX_HEADER_CHARS } from './header-names.js';

/** Sheet name of exports and of the template; as a sheet's name it is not read as the subject of its cards. */
export const SHEET_NAMES: Readonly<Record<Language, string>> = { en: 'cards', zh: '错题' };

/** Names that programs give to new sheets: Sheet1, 工作表1, 工作表 1 - 表格 1. */
const NEW_SHEET = /^(?:sheet|工作表) ?\d*(?: - (?:table|表格) \d+)?$/i;

/** Behind the name of a copied sheet: Sheet1 (2). */
const COPY = / ?\(\d+\)$/;

/** Whether a person has named the sheet: then the name is the source of its cards. */
export function isNamed(sheet: string): boolean {
  const original = sheet.replace(COPY, '');
  return !Object.values(SHEET_NAMES).includes(simplified(original)) && !NEW_SHEET.test(original);
}

/** Columns of a table of cards, in order. */
export const COLUMNS = CARD_FIELDS.flatMap((field) => {
  const declared = FILE_FIELDS[field];
  return 'header' in declared ? [{ ...declared, field: field as ContentField | 'id' }] : [];
});

/** Whether several columns may hold the field: their texts are joined in the order of the columns. */
export function mayRepeat(field: Field): boolean {
  return (
    field in CARD_CONTENT &&
    ['text', 'labels', 'choices', 'source', 'metadata', 'attachments'].includes(
      CARD_CONTENT[field as ContentField].kind,
    )
  );
}

/** A letter alone is one of the first six: a column K is hardly an eleventh choice. */
const CHOICE_LETTER = /(?:^(?=[a-f]$)|选项|option)([a-l])$|(?<![a-z])([a-l])(?:选项|项)$/;
const CHOICE_NUMBER = /(?:选项|option)([1-9]|1[0-2])$/;

/** The letter of a column of one choice, in lower case; undefined for other headers. */
export function choiceLetter(header: string): string | undefined {
  if (header.length > MAX_HEADER_CHARS) return undefined;
  const opened = header.normalize('NFKC').replace(/[([【]\s*([A-L])\s*[)\]】]/gi, '$1');
  const folded = foldHeader(opened);
  const [, last, first] = CHOICE_LETTER.exec(folded) ?? [];
  const number = CHOICE_NUMBER.exec(folded)?.[1];
  return last ?? first ?? (number === undefined ? undefined : letterOf(Number(number) - 1).toLowerCase());
}
