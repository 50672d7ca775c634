/** Separators between two labels of one cell. A slash is none: 路程/时间 is one label. */
const SEPARATORS = /[,，;；、|\n]/;

/**
 * The labels of one cell, trimmed. A label that contains a separator is in double quotes, with the
 * quotes in it doubled, as {@link joinLabels} writes it.
 */
export function splitLabels(text: string): string[] {
  const labels: string[] = [];
  let label = '';
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
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
      label = '';
    } else if (SEPARATORS.test(char)) {
      labels.push(label);
      label = '';
    } else {
      label += char;
    }
  }
  return [...labels, label].map((one) => one.trim()).filter((one) => one !== '');
}

/** The inverse of {@link splitLabels}. */
export function joinLabels(labels: readonly string[]): string {
  return labels
    .map((label) => (SEPARATORS.test(label) || label.includes('"') ? `"${label.replaceAll('"', '""')}"` : label))
    .join(' | ');
}
