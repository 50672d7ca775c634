import type { ColumnMapping, CardField as Field } from '../../domain/import.js';
import { fieldOf, mayRepeat } from './columns.js';
import { type Cell, CellError, type CellValue, isEmpty } from './source.js';
import { splitLabels } from './values/labels.js';
import { momentOf, momentOfSerial } from './values/moments.js';
import { difficultyOf, gradeOf, qualityOf, subjectOf } from './values/names.js';
import { cleanName, cleanText } from './values/text.js';

/** What a row comes to: an input for the parser of cards, and which header each of its fields stood under. */
export interface CardInput {
  readonly input: Readonly<Record<string, unknown>>;
  readonly headers: ReadonlyMap<string, string>;
}

/** A value that stands for nothing that is known. */
export class CellProblem extends Error {
  constructor(
    readonly header: string,
    reason: string,
  ) {
    super(reason);
  }
}

/** The field of a header by the mapping, else by what is known; null: passed over on purpose. */
export function fieldOfHeader(header: string, mapping: ColumnMapping): Field | null | undefined {
  const mapped = Object.hasOwn(mapping.columns, header) ? mapping.columns[header] : undefined;
  return mapped === undefined ? fieldOf(header) : mapped;
}

/**
 * The input that a row's cells mean. A cell whose header is the very name of a field, in a file of typed values, is taken as it
 * is; what a person typed is cleaned and translated. Unknown headers are passed over. CellProblem.
 */
export function cardInput(cells: readonly Cell[], mapping: ColumnMapping, typed: boolean): CardInput {
  const input: Record<string, unknown> = {};
  const headers = new Map<string, string>();
  for (const { header, value } of cells) {
    const field = fieldOfHeader(header, mapping);
    if (field == null) continue;
    if (!headers.has(field)) headers.set(field, header);
    if (isEmpty(value)) continue;
    const meant = meaning(field, header, value, mapping, typed && header === field);
    if (isEmpty(meant)) continue;
    input[field] = Object.hasOwn(input, field) ? together(field, input[field], meant) : meant;
  }
  for (const [field, value] of Object.entries(mapping.defaults)) input[field] ??= value;
  if (typeof input.options === 'string') {
    input.questionText = [input.questionText, input.options].filter((part) => part !== undefined).join('\n');
  }
  delete input.options;
  return { input, headers };
}

/** What two columns of one field say together. */
function together(field: Field, first: unknown, second: unknown): unknown {
  if (!mayRepeat(field)) return first;
  if (Array.isArray(first) && Array.isArray(second)) return [...first, ...second];
  return `${String(first)}\n${String(second)}`;
}

function meaning(field: Field, header: string, value: CellValue, mapping: ColumnMapping, exact: boolean): unknown {
  if (value instanceof CellError) throw new CellProblem(header, `the cell holds the error ${value.text}`);
  const known = mapping.values[field];
  if (known !== undefined && typeof value === 'string') {
    const name = cleanName(value);
    if (Object.hasOwn(known, name)) return known[name];
  }
  const read = READERS[field];
  if (typeof value === 'string') return exact && field in EXACT ? value : read(value, header);
  if (typeof value === 'number' && !exact) return read(plainNumber(value), header);
  if (value instanceof Date && field !== 'occurredAt' && !exact) return read(value.toISOString().slice(0, 10), header);
  if (typeof value === 'boolean' && !exact) return read(String(value), header);
  return value;
}

/** The fields that are texts in a file of typed values; others may stand there as a text that has still to be read. */
const EXACT: Readonly<Partial<Record<Field, true>>> = {
  id: true,
  subject: true,
  grade: true,
  questionText: true,
  studentSolutionText: true,
  goldSolutionBrief: true,
  source: true,
  notes: true,
};

/** As a workbook shows it: fifteen digits, so that .1 + .2 is .3. */
function plainNumber(value: number): string {
  return String(Number(value.toPrecision(15)));
}

const OPTION_LETTER = /(?:^|选项|option)\s*([A-Ea-e])$/i;

/** How the text of a cell is read, by field. */
const READERS: Readonly<Record<Field, (text: string, header: string) => unknown>> = {
  id: cleanName,
  subject: subjectOf,
  grade: gradeOf,
  difficulty(text, header) {
    const difficulty = difficultyOf(text);
    if (difficulty === undefined) {
      throw new CellProblem(header, `${shown(text)} is no difficulty: 1 to 5, 容易 to 困难, or easy to hard`);
    }
    return difficulty;
  },
  questionText: cleanText,
  options(text, header) {
    const letter = OPTION_LETTER.exec(header.trim())?.[1];
    return letter === undefined ? cleanText(text) : `${letter.toUpperCase()}. ${cleanText(text)}`;
  },
  studentSolutionText: cleanText,
  goldSolutionBrief: cleanText,
  topicTags: splitLabels,
  errorTypes: splitLabels,
  qualityGrade(text, header) {
    const quality = qualityOf(text);
    if (quality === undefined) {
      throw new CellProblem(header, `${shown(text)} is no quality grade: EXCELLENT, GOOD, FAIR, 优, 良 or 中`);
    }
    return quality;
  },
  source: cleanText,
  notes: cleanText,
  occurredAt(text, header) {
    const moment =
      /^\d{4,5}(?:\.\d+)?$/.test(text) && Number(text) > 9_999 ? momentOfSerial(Number(text)) : momentOf(text);
    if (moment === undefined) {
      throw new CellProblem(header, `${shown(text)} is no date: write it as 2026-03-01, 2026/3/1 or 2026年3月1日`);
    }
    return moment;
  },
  occurrences: (text) => text,
};

/** A value in a message: on one line, and not longer than a line. */
function shown(text: string): string {
  const line = cleanName(text);
  return JSON.stringify(line.length > 40 ? `${line.slice(0, 40)}...` : line);
}
