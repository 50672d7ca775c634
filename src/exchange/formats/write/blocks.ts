import { segments } from './segments.js';

interface Table {
  readonly kind: 'table';
  /** Rows of cells; the first one names the columns. The last cell of a shorter row takes the columns that it lacks. */
  readonly rows: readonly (readonly string[])[];
}

/** A block of a text: lines, or a Markdown table. */
type Block = { readonly kind: 'text'; readonly text: string } | Table;

/** The line below the names of the columns. */
const DIVIDER = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/;

/**
 * The text, with its Markdown tables (of GitHub) apart. A formula may contain bars, unlike there. A table has at most
 * as many cells as the text has bars and lines: rows filled up to the width of the first one would be quadratic.
 */
export function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = text.split('\n');
  let after = 0;
  const plain = (end: number): void => {
    if (end > after) blocks.push({ kind: 'text', text: lines.slice(after, end).join('\n') });
  };
  for (let line = 0; line + 1 < lines.length; line++) {
    const [head = '', divider = ''] = lines.slice(line, line + 2);
    if (!head.includes('|') || !divider.includes('|') || !DIVIDER.test(divider.trim())) continue;
    const names = cellsOf(head);
    if (names.length !== cellsOf(divider).length) continue;
    plain(line);
    const rows = [names];
    for (after = line + 2; after < lines.length; after++) {
      const row = lines[after] ?? '';
      const cells = cellsOf(row);
      // A sentence, perhaps with bars in a formula.
      if (cells.length === 1 && inner(row) === row.trim()) break;
      rows.push(cells.length < names.length ? [...cells, ''] : cells.slice(0, names.length));
    }
    blocks.push({ kind: 'table', rows });
    line = after - 1;
  }
  plain(lines.length);
  return blocks;
}

/** A table as HTML; `written` has the cells. */
export function htmlTable([names = [], ...rows]: Table['rows'], written: (cell: string) => string): string {
  const head = names.map((name) => `<th>${written(name)}</th>`).join('');
  const body = rows.map((row) => {
    const cells = row.map((cell, column) => {
      const span = column === row.length - 1 ? names.length - column : 1;
      return `<td${span > 1 ? ` colspan="${span}"` : ''}>${written(cell)}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<table border="1" cellpadding="4" style="border-collapse: collapse"><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`;
}

/** The line without the bars at its sides. */
function inner(line: string): string {
  return line.trim().replace(/^\||(?<!\\)\|$/g, '');
}

/** `\|` is a bar within a cell. */
function cellsOf(line: string): readonly string[] {
  const cells = [''];
  for (const segment of segments(inner(line))) {
    const split =
      segment.kind === 'text'
        ? segment.text.split(/(?<!\\)\|/).map((part) => part.replaceAll('\\|', '|'))
        : [segment.source];
    const [first = '', ...others] = split;
    cells.push(`${cells.pop()}${first}`);
    for (const cell of others) cells.push(cell);
  }
  return cells.map((cell) => cell.trim());
}
