/** What a spreadsheet would compute when it opens the file, or what already stands behind an apostrophe before it. */
const COMPUTED = /^'*[=+\-@\t\r\n]/;

/** Before the first line, so that Excel takes the file for UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * One line of CSV. A cell that a spreadsheet would take for a formula begins with an apostrophe, which importing takes off again
 * (OWASP, CSV Injection).
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const computed = COMPUTED.test(text);
  const safe = computed ? `'${text}` : text;
  return computed || /[",;\t\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
