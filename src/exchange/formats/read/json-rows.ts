import { type Cell, MAX_COLUMNS, MAX_JSON_ROW_BYTES, type SourceRow } from '../source.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Problem of a row that exceeds the size limit. */
const TOO_LONG = `is longer than ${MAX_JSON_ROW_BYTES / 2 ** 20} MB`;

/** Parses the bytes of one JSON object as a row, with its keys as headers. */
export function jsonRow(row: number, bytes: Buffer | null): SourceRow {
  if (bytes === null) return { sheet: null, row, problem: TOO_LONG };
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { sheet: null, row, problem: 'is not valid UTF-8' };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return { sheet: null, row, problem: `is not valid JSON: ${(thrown as Error).message}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { sheet: null, row, problem: 'is not a JSON object' };
  }
  const cells = Object.entries(value).map(([header, held]): Cell => ({ header, value: held }));
  if (cells.length > MAX_COLUMNS) return { sheet: null, row, problem: `has more than ${MAX_COLUMNS} fields` };
  return { sheet: null, row, cells };
}
