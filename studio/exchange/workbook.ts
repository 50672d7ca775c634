import { shifted } from '../../src/exchange/formats/read/cell-text.js';
import { meaningOfBuiltin, meaningOfCode } from '../../src/exchange/formats/read/number-formats.js';
import { columnOf } from '../../src/exchange/formats/source.js';
import { isFilled } from './first-rows.js';

/** The first rows of the sheets of a workbook, for the preview: the gateway reads the file itself. */

/** Larger parts are left to the gateway, which has a budget for them. */
const MAX_PART_BYTES = 16 * 1024 * 1024;

const END_OF_DIRECTORY = 0x06054b50;
const ENTRY = 0x02014b50;

interface Sheet {
  readonly name: string;
  /** The first ones, without empty ones; null for a sheet that is too large or cannot be read. */
  readonly rows: readonly (readonly string[])[] | null;
}

/** The visible sheets in their order. Throws if the file is no workbook that can be shown. */
export async function sheetsOf(file: Blob, count: number): Promise<readonly Sheet[]> {
  const view = new DataView(await file.arrayBuffer());
  const parts = directoryOf(view);
  const shared = parts.has('xl/sharedStrings.xml') ? await xmlOf(view, parts.get('xl/sharedStrings.xml')) : null;
  const texts = [...(shared?.getElementsByTagName('si') ?? [])].map(textIn);
  const optional = (name: string): Promise<Document | null> => xmlOf(view, parts.get(name)).catch(() => null);
  // Without the workbook's own parts, only sheet names and dates are missing.
  const book = await optional('xl/workbook.xml');
  const startsIn1904 = book?.querySelector(`[date1904="1"], [date1904="true"]`) != null;
  const dates = startsIn1904 ? [] : dateStyles(await optional('xl/styles.xml'));
  const sheets: Sheet[] = [];
  let left = MAX_PART_BYTES;
  for (const { name, path } of sheetPaths(book, await optional('xl/_rels/workbook.xml.rels'), parts)) {
    const bytes = parts.get(path)?.unpacked ?? 0;
    const sheet = bytes > left ? null : await optional(path);
    if (sheet !== null) left -= bytes;
    sheets.push({ name, rows: sheet && rowsOf(sheet, count, (cell) => shownOf(cell, texts, dates)) });
  }
  return sheets;
}

/** The names and parts of the visible sheets; the usual part of the first one if the workbook does not say. */
function sheetPaths(
  book: Document | null,
  relations: Document | null,
  parts: ReadonlyMap<string, Part>,
): readonly { name: string; path: string }[] {
  const targets = new Map(
    [...(relations?.getElementsByTagName('Relationship') ?? [])]
      .filter((one) => one.getAttribute('Type')?.endsWith('/worksheet'))
      .map((one) => [one.getAttribute('Id'), pathOf(one.getAttribute('Target') ?? '')]),
  );
  const found = [...(book?.getElementsByTagName('sheet') ?? [])].flatMap((one) => {
    const id = [...one.attributes].find(({ localName }) => localName === 'id')?.value;
    const path = id === undefined ? undefined : targets.get(id);
    const isHidden = (one.getAttribute('state') ?? 'visible') !== 'visible';
    return isHidden || path === undefined || !parts.has(path) ? [] : { name: one.getAttribute('name') ?? '', path };
  });
  return found.length > 0 ? found : [{ name: '', path: 'xl/worksheets/sheet1.xml' }];
}

/** The part that a relationship of the workbook refers to: relative to its folder, unless it begins with a slash. */
function pathOf(target: string): string {
  const path: string[] = [];
  for (const name of (target.startsWith('/') ? target : `xl/${target}`).split('/')) {
    if (name === '..') path.pop();
    else if (name !== '' && name !== '.') path.push(name);
  }
  return path.join('/');
}

function rowsOf(sheet: Document, count: number, shown: (cell: Element) => string): readonly (readonly string[])[] {
  const merges = [...sheet.getElementsByTagName('mergeCell')].flatMap((one) => {
    const [, letters, from, to] = /^([A-Z]+)(\d+):[A-Z]+(\d+)$/.exec(one.getAttribute('ref') ?? '') ?? [];
    return letters === undefined ? [] : { column: columnOf(letters), from: Number(from), to: Number(to), value: '' };
  });
  const rows: string[][] = [];
  let number = 0;
  for (const row of sheet.getElementsByTagName('row')) {
    number = Number(row.getAttribute('r') ?? number + 1);
    const cells: string[] = [];
    for (const cell of row.getElementsByTagName('c')) {
      const letters = /^[A-Z]+/.exec(cell.getAttribute('r') ?? '')?.[0];
      cells[letters === undefined ? cells.length : columnOf(letters)] = shown(cell);
    }
    // Merged cells have the value of their first one in every row, as in the gateway.
    for (const merge of merges) {
      if (merge.from === number) merge.value = cells[merge.column] ?? '';
      else if (merge.from < number && number <= merge.to) cells[merge.column] ||= merge.value;
    }
    const filled = Array.from(cells, (one) => one ?? '');
    if (isFilled(filled)) rows.push(filled);
    if (rows.length === count) break;
  }
  return rows;
}

interface Part {
  readonly offset: number;
  readonly bytes: number;
  readonly unpacked: number;
  readonly method: number;
}

function directoryOf(view: DataView): ReadonlyMap<string, Part> {
  let end = view.byteLength - 22;
  while (end >= 0 && view.getUint32(end, true) !== END_OF_DIRECTORY) end -= 1;
  const parts = new Map<string, Part>();
  let place = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0 && view.getUint32(place, true) === ENTRY; left -= 1) {
    const nameLength = view.getUint16(place + 28, true);
    const name = new TextDecoder().decode(new Uint8Array(view.buffer, place + 46, nameLength));
    parts.set(name, {
      method: view.getUint16(place + 10, true),
      bytes: view.getUint32(place + 20, true),
      unpacked: view.getUint32(place + 24, true),
      offset: view.getUint32(place + 42, true),
    });
    place += 46 + nameLength + view.getUint16(place + 30, true) + view.getUint16(place + 32, true);
  }
  return parts;
}

async function xmlOf(view: DataView, part: Part | undefined): Promise<Document> {
  if (part === undefined || part.unpacked > MAX_PART_BYTES) throw new Error('the sheet cannot be shown');
  const begin = part.offset + 30 + view.getUint16(part.offset + 26, true) + view.getUint16(part.offset + 28, true);
  const packed = new Blob([new Uint8Array(view.buffer as ArrayBuffer, begin, part.bytes)]);
  const text = part.method === 0 ? await packed.text() : await inflated(packed, part.unpacked);
  const parsed = new DOMParser().parseFromString(text, 'application/xml');
  if (parsed.getElementsByTagName('parsererror').length > 0) throw new Error('the sheet cannot be shown');
  return parsed;
}

/** The directory may lie about the size: no more is unpacked than it says. */
async function inflated(packed: Blob, most: number): Promise<string> {
  const reader = packed.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    bytes += next.value.length;
    if (bytes > most) throw new Error('the sheet cannot be shown');
    chunks.push(next.value);
  }
  return new Blob(chunks).text();
}

/** Without phonetic guides of Chinese characters, and raised and lowered runs by signs, as in the gateway. */
function textIn(element: Element): string {
  const runs = [...element.getElementsByTagName('t')].filter((one) => one.parentElement?.localName !== 'rPh');
  const positionOf = (run: Element): string =>
    run.parentElement?.getElementsByTagName('vertAlign')[0]?.getAttribute('val') ?? '';
  return runs.map((one) => shifted(one.textContent, positionOf(one))).join('');
}

/** Of each style of cells, whether it shows a number as a date. */
function dateStyles(styles: Document | null): readonly boolean[] {
  const custom = new Map(
    [...(styles?.getElementsByTagName('numFmt') ?? [])].map((one) => [
      Number(one.getAttribute('numFmtId')),
      meaningOfCode(one.getAttribute('formatCode') ?? ''),
    ]),
  );
  const formats = styles?.getElementsByTagName('cellXfs')[0]?.getElementsByTagName('xf') ?? [];
  return [...formats].map((one) => {
    const format = Number(one.getAttribute('numFmtId'));
    return (custom.get(format) ?? meaningOfBuiltin(format)) === 'DATE';
  });
}

/** Serial numbers from 1900 to 9999; a smaller one is the time of a day. */
const isDay = (days: number): boolean => days >= 1 && days < 2_958_466;

/** 2026-03-01, or 2026-03-01 18:30. */
function dateOf(days: number): string {
  const moment = new Date(Date.UTC(1899, 11, 30) + Math.round(days * 86_400) * 1_000).toISOString();
  return moment.slice(0, 16).replace('T', ' ').replace(' 00:00', '');
}

function shownOf(cell: Element, texts: readonly string[], dates: readonly boolean[]): string {
  const value = cell.getElementsByTagName('v')[0]?.textContent ?? '';
  switch (cell.getAttribute('t')) {
    case 's':
      return texts[Number(value)] ?? '';
    case 'inlineStr':
      return textIn(cell);
    case 'n':
    case null:
      return dates[Number(cell.getAttribute('s'))] && isDay(Number(value)) ? dateOf(Number(value)) : value;
    default:
      return value;
  }
}
