import { decoded, firstRows, isHeader, isKnownName, TABLE_ROWS, type Table, tableOf } from './first-rows.js';
import { sheetsOf } from './workbook.js';

export interface Preview extends Table {
  /** By column: whether the gateway knows its name. */
  readonly isKnown: readonly boolean[];
  /** Whether the gateway reads the rows below the header as cards. */
  readonly isHeader: boolean;
}

const NOT_SHOWN: Table = { headers: [], rows: [] };

/** Enough for the header and some rows of most files. */
const BYTES = 256 * 1024;

/** What can be seen of each sheet before a file is sent; none if the page cannot read it: the gateway says more. */
export async function previewsOf(file: File): Promise<readonly Preview[]> {
  // The content may be of another format than the ending says.
  const tables = await tablesOf(file).catch(() => []);
  return tables.map((table) => {
    return { ...table, isKnown: table.headers.map(isKnownName), isHeader: isHeader(table.headers) };
  });
}

async function tablesOf(file: File): Promise<readonly Table[]> {
  const ending = file.name.toLowerCase().split('.').at(-1);
  if (ending === 'xlsx') {
    const sheets = await sheetsOf(file, TABLE_ROWS);
    return sheets.flatMap(({ name, rows }) => {
      const table = rows === null ? NOT_SHOWN : tableOf(rows);
      return table === null ? [] : { ...table, sheet: name };
    });
  }
  if (ending !== 'csv' && ending !== 'jsonl' && ending !== 'json') return [];
  const text = decoded(new Uint8Array(await file.slice(0, BYTES).arrayBuffer()));
  const table = firstRows(text, ending, file.size > BYTES);
  return table === null ? [] : [table];
}
