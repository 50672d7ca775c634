/** A segment of a text: words, or a LaTeX formula without delimiters. */
type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'math'; readonly tex: string; readonly display: boolean };

/**
 * Formulas by their delimiters. A single dollar follows Pandoc's rule, so that "costs $5 and $6" is no formula: no
 * blank after the first, none before the last, and no digit behind it.
 */
const MATH =
  /\$\$(?<twice>[^$]+)\$\$|\$(?!\s)(?<once>(?:[^$\\\n]|\\[^\n])+?)(?<!\s)\$(?!\d)|\\\((?<round>[^\n]+?)\\\)|\\\[(?<square>[\s\S]+?)\\\]/g;

/** MathJax, in Anki and in viewers of Markdown, would link, load or style with these commands what a card says. */
const ACTIVE = /\\(?:href|url|style|class|cssId|require|includegraphics|html[A-Z]\w*)(?![A-Za-z])/;

/**
 * The segments of a text, in order. A formula with such a command is text. A formula between double dollars is
 * displayed only if it is on its own line.
 */
export function segments(text: string): readonly Segment[] {
  const found: Segment[] = [];
  let end = 0;
  for (const match of text.matchAll(MATH)) {
    if (ACTIVE.test(match[0])) continue;
    if (match.index > end) found.push({ kind: 'text', text: text.slice(end, match.index) });
    end = match.index + match[0].length;
    const { twice, once, round, square } = match.groups ?? {};
    const tex = twice ?? once ?? round ?? square ?? '';
    const display = square !== undefined || (twice !== undefined && isOnItsOwnLine(text, match.index, end));
    found.push({ kind: 'math', tex, display });
  }
  if (end < text.length) found.push({ kind: 'text', text: text.slice(end) });
  return found;
}

/** Whether the rest of its lines is blank. Reads these lines only: a text may have thousands of formulas. */
function isOnItsOwnLine(text: string, start: number, end: number): boolean {
  const before = start === 0 ? '' : text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const lineEnd = text.indexOf('\n', end);
  return before.trim() === '' && text.slice(end, lineEnd < 0 ? undefined : lineEnd).trim() === '';
}

/** Two marks that are not those of a derivative, f''(x) or (uv)'', nor of arc seconds, 30°15'20'', nor three. */
const CLOSING_QUOTE = /(?<!(?<![\p{L}\p{N}])[A-Za-z]|[\d)'])''(?!')/gu;

/** Replaces LaTeX commands outside of formulas: blanks to fill in, fixed-width blanks, quotation marks. */
export function plainWords(text: string): string {
  return text
    .replace(/\\(?:uline|underline)\{[~\s]*\}/g, '______')
    .replace(/\\textasciitilde\s?|(?<![\p{L}\p{N}])~|~(?![\p{L}\p{N}])/gu, ' ')
    .replace(/(?<!`)``((?:[^`']|'(?!'))*)''(?!')/g, '“$1”')
    .replace(/(?<!`)``(?!`)/g, '“')
    .replace(CLOSING_QUOTE, '”');
}
