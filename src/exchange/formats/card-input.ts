import { CARD_CONTENT, type ContentField } from '../../domain/card-content.js';
import type { FieldKind } from '../../domain/card-values.js';
import { choicesIn, isLaterChoice } from '../../domain/choices.js';
import { cleanName } from '../../domain/clean-text.js';
import type { ColumnMapping, CardField as Field } from '../../domain/import.js';
import { simplified } from '../../domain/simplified.js';
import { choiceLetter, mayRepeat } from './columns.js';
import { fieldOf } from './header-names.js';
import { type Cell, CellError, type CellValue, isEmpty, ShownNumber } from './source.js';
import {
  choiceListIn,
  isNoValue,
  metadataIn,
  nameInCell,
  splitAttachments,
  splitLabels,
  unquotedChoices,
} from './values/lists.js';
import { withBackslashes } from './values/lost-backslashes.js';
import { momentOf, momentOfSerial, textOfMoment } from './values/moments.js';
import { difficultyOf, difficultyOfCoefficient, qualityOf } from './values/names.js';

/** Input of the card parser, from the cells of a row. */
interface CardInput {
  readonly input: Readonly<Record<string, unknown>>;
  /** Header of each field, in the order of the cells. */
  readonly headers: ReadonlyMap<string, string>;
  /** Problems by field; these fields are missing in `input`. */
  readonly problems: ReadonlyMap<string, string>;
  /** What to check in the fields that were read. */
  readonly notices: readonly { readonly header: string; readonly reason: string }[];
}

class CellProblem extends Error {}

/** The field of a header, by the mapping, otherwise by the known names; null: skipped on purpose. */
export function fieldOfHeader(header: string, mapping: ColumnMapping): Field | null | undefined {
  const mapped = Object.hasOwn(mapping.columns, header) ? mapping.columns[header] : undefined;
  return mapped === undefined ? fieldOf(header) : mapped;
}

/**
 * Converts the cells of a row. Texts and labels are kept; names, numbers and dates typed by people are normalised. In a
 * format with typed values, a cell whose header is a field's name is kept unchanged. Unknown headers are ignored. The
 * text of a default is read as a cell.
 */
export function cardInput(cells: readonly Cell[], mapping: ColumnMapping, typed: boolean): CardInput {
  const input: Record<string, unknown> = {};
  const headers = new Map<string, string>();
  const problems = new Map<string, string>();
  const notices: { readonly header: string; readonly reason: string }[] = [];
  /** Whether a cell of the choices, whose column was mapped by hand, is empty. */
  let hasGap = false;
  for (const { header, value } of cells) {
    const field = fieldOfHeader(header, mapping);
    if (field == null) continue;
    if (!headers.has(field)) headers.set(field, header);
    const isMappedChoice = field === 'choices' && Object.hasOwn(mapping.columns, header);
    if (isEmpty(value)) {
      hasGap ||= isMappedChoice;
      continue;
    }
    const isFirstProblem = !problems.has(field);
    const meant = meaningOr(problems, field, () => meaning(field, header, value, mapping, typed && header === field));
    if (isFirstProblem && problems.has(field)) headers.set(field, header);
    if (isEmpty(meant)) continue;
    const date = value instanceof Date && !MAY_BE_DATES.has(field) ? textOfMoment(value) : '';
    if (/^\d{4}-\d{2}-\d{2}$/.test(date)) {
      notices.push({
        header,
        reason: `the cell is the date ${date}: if a fraction was meant, format the column as text and type it again`,
      });
    }
    const isOne = Array.isArray(meant) && meant.length === 1;
    const isBehindGap =
      field === 'choices' && (leavesOut(header, input.choices) || (isMappedChoice && hasGap && isOne));
    // The row of a fill-in question may have / in some of the columns.
    if (isBehindGap && (typed || !areNone([input.choices ?? [], meant].flat()))) {
      headers.set(field, header);
      problems.set(field, 'an earlier choice is missing');
      continue;
    }
    input[field] = Object.hasOwn(input, field) ? together(field, input[field], meant) : meant;
  }
  for (const [field, value] of Object.entries(mapping.defaults) as [Field, unknown][]) {
    if (problems.has(field) || Object.hasOwn(input, field)) continue;
    input[field] =
      typeof value === 'string'
        ? meaningOr(problems, field, () => meaning(field, field, value, mapping, false))
        : value;
  }
  if (!typed && areNone(input.choices)) delete input.choices;
  else if (!typed && Array.isArray(input.choices)) input.choices = unquotedChoices(input.choices);
  // Without a question, or behind the first choice, it is a row of one choice: the others are in other rows.
  if (undivided(input.choices, cells, mapping) && input.questionText !== undefined) {
    if (isLaterChoice(String(input.choices))) problems.set('choices', 'an earlier choice is missing');
    input.questionText = [input.questionText, input.choices]
      .flat()
      .filter((part) => part !== undefined)
      .join('\n');
    delete input.choices;
  }
  return { input, headers, problems, notices };
}

/** The value that `read` returns; if it is invalid, its problem is added and the value is undefined. */
function meaningOr(problems: Map<string, string>, field: Field, read: () => unknown): unknown {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof CellProblem)) throw thrown;
    problems.set(field, thrown.message);
    return undefined;
  }
}

/**
 * True for the column of one choice if an earlier choice is missing: with another letter it would be another answer.
 */
function leavesOut(header: string, earlier: unknown): boolean {
  const letter = choiceLetter(header);
  return letter !== undefined && letter.charCodeAt(0) - 97 !== (Array.isArray(earlier) ? earlier.length : 0);
}

/** True for choices that all say that there are none, as in a fill-in question's row. One beside others may be 无. */
function areNone(choices: unknown): boolean {
  if (!Array.isArray(choices) || choices.length === 0) return false;
  return choices.every((one) => typeof one === 'string' && isNoValue(one));
}

/** True for a text of choices that could not be divided: it stays a part of the question. */
function undivided(choices: unknown, cells: readonly Cell[], mapping: ColumnMapping): boolean {
  const isText = ({ header, value }: Cell): boolean =>
    (typeof value !== 'object' || value instanceof ShownNumber) && fieldOfHeader(header, mapping) === 'choices';
  return Array.isArray(choices) && choices.length === 1 && cells.some(isText);
}

/** Combines the values of two columns that map to one field. */
function together(field: Field, first: unknown, second: unknown): unknown {
  if (!mayRepeat(field)) return first;
  if (Array.isArray(first) && Array.isArray(second)) return [...first, ...second];
  return `${String(first)}${field === 'source' ? ' ' : '\n'}${String(second)}`;
}

function meaning(field: Field, header: string, given: CellValue, mapping: ColumnMapping, exact: boolean): unknown {
  let value = given;
  if (value instanceof CellError) throw new CellProblem(`the cell holds the error ${value.text}`);
  const known = mapping.values[field];
  if (known !== undefined && typeof value === 'string') {
    const name = [value, cleanName(value)].find((one) => Object.hasOwn(known, one));
    if (name !== undefined) return known[name];
  }
  const kind = kindOf(field);
  // A text may be 无 or -. Among labels it says that there are none, of which there is no default.
  const mayBeNone = !TEXT_KINDS.has(kind) && kind !== 'labels';
  if (typeof value === 'string' && !exact && mayBeNone) value = nameInCell(value);
  if (TEXT_KINDS.has(kind) && Array.isArray(value))
    return value.map((one) => (typeof one === 'string' ? withBackslashes(one) : one));
  const read = READERS[kind];
  if (value instanceof ShownNumber) {
    return read(TEXT_KINDS.has(kind) ? value.text : plainNumber(value.value), header, mapping);
  }
  // Of the texts only ids are kept as they are: others, as `difficulty`, may have to be parsed.
  if (typeof value === 'string') return exact && field === 'id' ? value : read(value, header, mapping);
  if (typeof value === 'number' && !exact) return read(plainNumber(value), header, mapping);
  if (value instanceof Date && field !== 'occurredAt' && !exact) return read(textOfMoment(value), header, mapping);
  if (typeof value === 'boolean' && !exact) return read(String(value), header, mapping);
  return value;
}

/** Fields in which a date is meant, or refused. In the others Excel may have made it of a typed 1/2 or 3-1. */
const MAY_BE_DATES: ReadonlySet<Field> = new Set(['occurredAt', 'notes', 'difficulty', 'qualityGrade']);

/** Kinds of fields whose numbers are kept as they are shown. */
const TEXT_KINDS: ReadonlySet<string> = new Set(['text', 'choices']);

/** As a spreadsheet displays it: fifteen digits, so that .1 + .2 is .3. */
export function plainNumber(value: number): string {
  return String(Number(value.toPrecision(15)));
}

const asGiven = (text: string): string => text;

type Reader = (text: string, header: string, mapping: ColumnMapping) => unknown;

const READERS: Readonly<Record<FieldKind | Exclude<Field, ContentField>, Reader>> = {
  id: cleanName,
  subject: asGiven,
  grade: asGiven,
  difficulty(text, header) {
    const ofCoefficient = difficultyOfCoefficient(text);
    const isCoefficient = ofCoefficient !== undefined && simplified(header).includes('难度系数');
    const difficulty = isCoefficient ? ofCoefficient : difficultyOf(text);
    if (difficulty === undefined && ofCoefficient !== undefined) {
      throw new CellProblem(`${shown(text)} is a coefficient, not a difficulty: call the column 难度系数`);
    }
    if (difficulty === undefined) {
      throw new CellProblem(`${shown(text)} is not a difficulty: 1 to 5, 容易 to 困难, or easy to hard`);
    }
    return difficulty;
  },
  text: withBackslashes,
  choices(text, header) {
    const written = withBackslashes(text);
    return choiceLetter(header) !== undefined ? [written] : (choiceListIn(written) ?? choicesIn(written));
  },
  labels: splitLabels,
  quality(text) {
    const quality = qualityOf(text);
    if (quality === undefined) {
      throw new CellProblem(`${shown(text)} is not a quality grade: EXCELLENT, GOOD, FAIR, 优, 良 or 中`);
    }
    return quality;
  },
  source: asGiven,
  moment(text, _header, { dateOrder }) {
    const isSerial = /^\d{4,5}(?:\.\d+)?$/.test(text) && Number(text) > 9_999;
    const moment = isSerial ? momentOfSerial(Number(text)) : momentOf(text, dateOrder);
    if (moment === undefined) {
      throw new CellProblem(
        `${shown(text)} is not a date, or more than one: write it as 2026-03-01, 2026/3/1 or 2026年3月1日`,
      );
    }
    return moment;
  },
  metadata(text, header, { columns }) {
    const entries = metadataIn(text);
    if (entries === undefined && Object.hasOwn(columns, header)) return [{ key: cleanName(header), value: text }];
    if (entries === undefined) {
      throw new CellProblem(`${shown(text)} is not metadata: a JSON object of texts, or one "key: value" a line`);
    }
    return entries;
  },
  attachments: splitAttachments,
  occurrences: asGiven,
};

function kindOf(field: Field): keyof typeof READERS {
  return field in CARD_CONTENT ? CARD_CONTENT[field as ContentField].kind : (field as Exclude<Field, ContentField>);
}

/** A value for a message: on one line, truncated. */
function shown(text: string): string {
  const line = cleanName(text);
  return JSON.stringify(line.length > 40 ? `${line.slice(0, 40)}...` : line);
}
