import { z } from 'zod';
import { cleanName, cleanText } from '../clean-text.js';
import { ON_DUPLICATE, type OnDuplicate } from '../duplicates.js';
import { BadInputError } from '../errors.js';
import { CARD_FIELDS, type ColumnMapping, FILE_FORMATS, type FileFormat, type ImportOptions } from '../import.js';
import { parseJson } from './json.js';
import { optional, parse, parserOf } from './parse.js';
import { filledListOf, name, whole } from './scalars.js';

const MAX_REQUEST_ROWS = 500;

const field = z.enum(CARD_FIELDS);

const mapping = z.strictObject({
  columns: z
    .record(z.string(), z.preprocess((name) => (name === 'options' ? 'choices' : name), field).nullable())
    .transform((columns) => withCleanKeys(columns, cleanText))
    .default({}),
  defaults: z.partialRecord(field, z.unknown()).default({}),
  values: z
    .partialRecord(
      field,
      z.record(z.string(), z.unknown()).transform((known) => withCleanKeys(known, cleanName)),
    )
    .default({}),
});

/** Headers and cells are compared in their normalised form. A key that is given in this form is kept. */
function withCleanKeys<T>(given: Readonly<Record<string, T>>, clean: (key: string) => string): Record<string, T> {
  return { ...Object.fromEntries(Object.entries(given).map(([key, value]) => [clean(key), value])), ...given };
}

/** Only the headers and values that the gateway recognises by itself. */
export const NO_MAPPING: ColumnMapping = { columns: {}, defaults: {}, values: {} };

export const parseMapping = parserOf<ColumnMapping>(mapping);

/** Returns `otherwise` if the client gives no value. BadInputError. */
export function parseOnDuplicate(value: unknown, field: string, otherwise: OnDuplicate): OnDuplicate {
  return parse(optional(z.enum(ON_DUPLICATE), otherwise), value, field);
}

/** How rows are imported. BadInputError. */
export function parseImportOptions(args: {
  readonly onDuplicate?: unknown;
  readonly dryRun?: unknown;
  readonly mapping?: string | undefined;
}): ImportOptions {
  return {
    onDuplicate: parseOnDuplicate(args.onDuplicate, 'onDuplicate', 'MERGE'),
    dryRun: parse(optional(z.boolean(), false), args.dryRun, 'dryRun'),
    mapping: args.mapping === undefined ? NO_MAPPING : parseMapping(parseJson(args.mapping, 'mapping'), 'mapping'),
  };
}

/** The name of a file, and what kind of file it says that it is. BadInputError. */
export function parseFileName(value: unknown, field: string): { readonly name: string; readonly format: FileFormat } {
  if (value === undefined) throw new BadInputError(field, 'is required: the name of the file, such as cards.csv');
  const given = parse(name(255), value, field);
  const ending = /\.([a-z0-9]+)$/i.exec(given)?.[1]?.toLowerCase() ?? '';
  const refusal = REFUSED_ENDINGS.get(ending);
  if (refusal !== undefined) throw new BadInputError(field, refusal);
  const format = FILE_FORMATS.find((one) => one === ending);
  if (format === undefined) throw new BadInputError(field, 'must end in .xlsx, .csv, .json or .jsonl');
  return { name: given, format };
}

/** Extensions close to importable ones, and what to do instead. */
const REFUSED_ENDINGS: ReadonlyMap<string, string> = new Map([
  ['xls', 'is a workbook of Excel 97: save it as .xlsx'],
  ['xlsm', 'is a workbook with macros: save it as .xlsx, without them'],
  ['xlsb', 'is a binary workbook: save it as .xlsx'],
  ['ods', 'is an OpenDocument sheet: save it as .xlsx or .csv'],
]);

/** The rows of one request, each still to be parsed by itself. */
export const parseRequestRows = parserOf(filledListOf(z.unknown(), MAX_REQUEST_ROWS));

/** A key by which a request is known again. */
export const parseImportKey = parserOf(optional(name(200), null));

/** Which of an import's problems a client wants. */
export const parseProblemPage = parserOf(z.object({ first: whole(1, 1_000), after: whole(0, 2 ** 31 - 1) }));
