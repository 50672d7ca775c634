import { comparedName } from '../../../domain/clean-text.js';

/** What tables have in a cell without labels. */
const NO_LABEL: ReadonlySet<string> = new Set(['无', '没有', 'none', 'n/a', '-', '/']);

function isNoLabel(text: string): boolean {
  return NO_LABEL.has(comparedName(text));
}

/** Separators between two labels of one cell. A slash is none: 路程/时间 is one label. */
const SEPARATORS = /[,，;；、|\n]/;

/** Separators in brackets divide nothing: 函数（导数、极值） is one label. */
const BRACKETS = /[(（][^()（）"\n]*[)）]/y;

/**
 * The labels of one cell, trimmed. A label that contains a separator outside of brackets is in double quotes, with the
 * quotes in it doubled, as {@link joinLabels} writes it. 无, none and the like are no labels, unless they are in quotes.
 */
export function splitLabels(text: string): string[] {
  const labels: string[] = [];
  let label = '';
  let quoted = false;
  let wasQuoted = false;
  const end = (): void => {
    if (wasQuoted || !isNoLabel(label)) labels.push(label.trim());
    label = '';
    wasQuoted = false;
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    BRACKETS.lastIndex = at;
    if (quoted) {
      if (char === '"' && text[at + 1] === '"') {
        label += char;
        at += 1;
      } else if (char === '"') {
        quoted = false;
      } else {
        label += char;
      }
    } else if (char === '"' && label.trim() === '' && text.includes('"', at + 1)) {
      quoted = true;
      wasQuoted = true;
      label = '';
    } else if (BRACKETS.test(text)) {
      label += text.slice(at, BRACKETS.lastIndex);
      at = BRACKETS.lastIndex - 1;
    } else if (SEPARATORS.test(char)) {
      end();
    } else {
      label += char;
    }
  }
  end();
  return labels.filter((one) => one !== '');
}

/** The inverse of {@link splitLabels}. A bracket that is not closed would be closed by that of a later label. */
export function joinLabels(labels: readonly string[]): string {
  const needsQuotes = (label: string): boolean =>
    isNoLabel(label) || SEPARATORS.test(label) || /["()（）]/.test(label.replace(/[(（][^()（）]*[)）]/g, ''));
  return labels.map((label) => (needsQuotes(label) ? `"${label.replaceAll('"', '""')}"` : label)).join(' | ');
}
