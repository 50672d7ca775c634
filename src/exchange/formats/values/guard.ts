/**
 * Text that a spreadsheet would evaluate (OWASP, CSV Injection): an operator, in half or full width, at the beginning
 * of a cell or after separators there, which start a new cell if the program uses another list separator.
 */
const COMPUTED = /^([ ;,|]*)('*(?:[=+\-@＝＋－＠]|[\t\r\n]))/;

/** {@link COMPUTED} after one apostrophe. */
const GUARDED = /^([ ;,|]*)'('*(?:[=+\-@＝＋－＠]|[\t\r\n]))/;

/** Escapes a text so that no spreadsheet evaluates it: with an apostrophe before the operator. */
export function guarded(text: string): string {
  return text.replace(COMPUTED, "$1'$2");
}

/** The inverse of {@link guarded}. */
export function unguarded(cell: string): string {
  return cell.replace(GUARDED, '$1$2');
}
