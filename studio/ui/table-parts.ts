import { partsOf } from './math-parts.js';

export type Block =
  | { readonly kind: 'text'; readonly text: string }
  /** Rows of cells; the first one names the columns. */
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] };

/** The line below the names of the columns. */
const DIVIDER = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/;

/** The text, with its Markdown tables (of GitHub) apart. A formula may contain bars, unlike there. */
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
    for (after = line + 2; lines[after]?.includes('|'); after++) {
      const cells = cellsOf(lines[after] ?? '');
      rows.push(names.map((_name, place) => cells[place] ?? ''));
    }
    blocks.push({ kind: 'table', rows });
    line = after - 1;
  }
  plain(lines.length);
  return blocks;
}

/** `\|` is a bar within a cell. */
function cellsOf(line: string): readonly string[] {
  const cells = [''];
  const inner = line.trim().replace(/^\||(?<!\\)\|$/g, '');
  for (const { kind, source } of partsOf(inner)) {
    const split = kind === 'text' ? source.split(/(?<!\\)\|/).map((part) => part.replaceAll('\\|', '|')) : [source];
    const [first = '', ...others] = split;
    cells.push(`${cells.pop()}${first}`, ...others);
  }
  return cells.map((cell) => cell.trim());
}
