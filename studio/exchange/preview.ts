import { sheetOf } from './workbook.js';

/** The beginning of a file, as a table. */
export interface Preview {
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Enough for the header and some rows of any file. */
const BYTES = 256 * 1024;
const ROWS = 5;

/** What can be seen of a file before it is sent; null where the page cannot read it: the gateway says more. */
export async function previewOf(file: File): Promise<Preview | null> {
  const ending = file.name.toLowerCase().split('.').at(-1);
  try {
    if (ending === 'xlsx') return tableOf(await sheetOf(file, ROWS + 1));
    const text = decoded(new Uint8Array(await file.slice(0, BYTES).arrayBuffer()));
    if (ending === 'csv') return tableOf(csvRows(text, ROWS + 1));
    if (ending === 'jsonl' || ending === 'json') return objectsOf(text, ending);
  } catch {
    // Not what its name says.
  }
  return null;
}

function tableOf(rows: readonly (readonly string[])[]): Preview | null {
  const [headers, ...rest] = rows;
  return headers === undefined ? null : { headers, rows: rest };
}

/** UTF-8 or UTF-16 as the first bytes say; else UTF-8 where it is that, else GB18030, as the gateway reads it. */
export function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    // As a stream: the last character may be cut.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder('gb18030').decode(bytes);
  }
}

/** The first rows of a CSV text (RFC 4180). */
export function csvRows(text: string, count: number): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  const endCell = (): void => {
    row.push(cell);
    cell = '';
  };
  for (let place = 0; place < text.length && rows.length < count; place += 1) {
    const sign = text[place];
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text[place + 1] === '"') {
        cell += '"';
        place += 1;
      } else quoted = false;
    } else if (sign === '"' && cell === '') quoted = true;
    else if (sign === ',') endCell();
    else if (sign === '\n' || sign === '\r') {
      if (sign === '\r' && text[place + 1] === '\n') place += 1;
      endCell();
      if (row.some((one) => one !== '')) rows.push(row);
      row = [];
    } else cell += sign;
  }
  if (rows.length < count && (cell !== '' || row.length > 0)) {
    endCell();
    rows.push(row);
  }
  return rows;
}

function objectsOf(text: string, ending: 'json' | 'jsonl'): Preview {
  const lines = ending === 'jsonl' ? text.split('\n').slice(0, ROWS) : [];
  const objects: readonly Record<string, unknown>[] =
    ending === 'json'
      ? JSON.parse(text).slice(0, ROWS)
      : lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line));
  const headers = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  const shown = (value: unknown): string =>
    value == null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  return { headers, rows: objects.map((one) => headers.map((header) => shown(one[header]))) };
}
