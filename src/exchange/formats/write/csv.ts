import { guarded } from '../values/guard.js';

/** Before the first line, so that Excel reads the file as UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** One line of CSV, safe against formula injection; see {@link guarded}. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const cell = guarded(text);
  const needsQuotes = cell !== text || /[",;\t\r\n]/.test(cell) || cell !== cell.trim();
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
}
