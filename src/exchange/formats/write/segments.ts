/** A segment of a text: words, or a LaTeX formula. */
type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'math';
      /** Without delimiters. */
      readonly tex: string;
      /** With them. */
      readonly source: string;
      readonly display: boolean;
    };

/**
 * Formulas by their delimiters. A single dollar follows Pandoc's rule, so that "costs $5 and $6" is no formula: no
 * backslash before and no blank after the first, no blank before and no digit behind the last, no blank line between
 * them. No repetition reads over the beginning of another formula: that would take quadratic time.
 */
const MATH =
  /\$\$(?<twice>[^$]+)\$\$|(?<!\\)\$(?!\s)(?<once>(?:[^$\\\n]|\\[^\n]|\\?\n(?!\s*\n))+?)(?<!\s)\$(?!\d)|\\\((?<round>(?:[^\\\n]|\\[^()\n]|\\?\n(?!\s*\n))+)\\\)|\\\[(?<square>(?:[^\\]|\\[^[\]])+)\\\]/g;

/** Names of commands with which MathJax, in Anki and in viewers of Markdown, would link, load or style something. */
const ACTIVE =
  '(?:href|url|style|class|cssId|data|bbox|mmlToken|require|includegraphics|html[A-Z][A-Za-z]*)(?![A-Za-z])';
const ACTIVE_COMMAND = new RegExp(`\\\\${ACTIVE}`);
const COMMAND_OR_DELIMITER = new RegExp(`\\\\(?=[([]|${ACTIVE})`, 'g');

/**
 * The segments of a text, in order. A formula that has such a command, is blank or is not whole is text. A formula
 * between double dollars is displayed only if it is on its own line.
 */
export function segments(text: string): readonly Segment[] {
  const found: Segment[] = [];
  let end = 0;
  for (const match of text.matchAll(MATH)) {
    const { twice, once, round, square } = match.groups ?? {};
    const tex = twice ?? once ?? round ?? square ?? '';
    if (tex.trim() === '' || ACTIVE_COMMAND.test(tex) || !isWhole(tex)) continue;
    if (match.index > end) found.push({ kind: 'text', text: text.slice(end, match.index) });
    end = match.index + match[0].length;
    const display = square !== undefined || (twice !== undefined && isOnItsOwnLine(text, match.index, end));
    found.push({ kind: 'math', tex, source: match[0], display });
  }
  if (end < text.length) found.push({ kind: 'text', text: text.slice(end) });
  return found;
}

/** Whether braces are balanced and no backslash is last: MathJax would read the text behind as part of the formula. */
function isWhole(tex: string): boolean {
  let depth = 0;
  for (const [mark] of tex.matchAll(/\\[\s\S]?|[{}]/g)) {
    if (mark === '{') depth += 1;
    else if (mark === '}') depth -= 1;
    if (mark === '\\' || depth < 0) return false;
  }
  return depth === 0;
}

/** Whether the rest of its lines is blank. Reads these lines only: a text may have thousands of formulas. */
function isOnItsOwnLine(text: string, start: number, end: number): boolean {
  const before = start === 0 ? '' : text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const lineEnd = text.indexOf('\n', end);
  return before.trim() === '' && text.slice(end, lineEnd < 0 ? undefined : lineEnd).trim() === '';
}

/** Two marks that are not those of a derivative, f''(x) or (uv)'', nor of arc seconds, 30°15'20'', nor three. */
const CLOSING_QUOTE = /(?<!(?<![\p{L}\p{N}])[A-Za-z]|[\d)'])''(?!')/gu;

/**
 * Replaces LaTeX commands outside of formulas: blanks to fill in, fixed-width blanks, quotation marks. One ~ alone
 * stays: it is more often a range than a blank of LaTeX.
 */
export function plainWords(text: string): string {
  return text
    .replace(/\\(?:uline|underline)\{[~\s]*\}/g, '______')
    .replace(/\\textasciitilde\s?/g, ' ')
    .replace(/~(?: ?~)+/g, (blanks) => ' '.repeat(blanks.length))
    .replace(/(?<!`)``((?:[^`']|'(?!'))*)''(?!')/g, '“$1”')
    .replace(/(?<!`)``(?!`)/g, '“')
    .replace(CLOSING_QUOTE, '”');
}

/** {@link plainWords} for MathJax: a zero-width space divides what would begin a formula, or such a command. */
export function inertWords(text: string): string {
  return plainWords(text).replace(COMMAND_OR_DELIMITER, '$&\u200b');
}
