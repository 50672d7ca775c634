/**
 * Where a spreadsheet would begin to compute (OWASP, CSV Injection): a sign, in half or full width, at the beginning of a cell or
 * after separators there, which begin a cell of their own where the list separator is another one.
 */
const COMPUTED = /^([ ;,|]*)('*(?:[=+\-@＝＋－＠]|[\t\r\n]))/;

/** As {@link COMPUTED}, behind one apostrophe. */
const GUARDED = /^([ ;,|]*)'('*(?:[=+\-@＝＋－＠]|[\t\r\n]))/;

/** The text as a cell that no spreadsheet computes: an apostrophe stands before the sign. */
export function guarded(text: string): string {
  return text.replace(COMPUTED, "$1'$2");
}

/** The text that {@link guarded} made a cell of. */
export function unguarded(cell: string): string {
  return cell.replace(GUARDED, '$1$2');
}
