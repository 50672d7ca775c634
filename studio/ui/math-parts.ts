interface MathPart {
  readonly kind: 'text' | 'inline' | 'display';
  /** Without the delimiters. */
  readonly text: string;
  /** With them. */
  readonly source: string;
}

/**
 * `$$..$$`, `\[..\]`, `\(..\)` and `$..$`. A dollar opens a formula only before something that is no blank, and closes
 * one only after such and not before a digit: "$5 and $6" is money.
 */
const FORMULA = /\$\$([^$]+)\$\$|\\\[([\s\S]+?)\\\]|\\\(([\s\S]+?)\\\)|\$(?=\S)((?:\\.|[^$\\])*?)(?<=\S)\$(?!\d)/g;

/** Longer ones take KaTeX too long to set; they stay text. */
const MAX_LENGTH = 2_000;

export function partsOf(text: string): readonly MathPart[] {
  const parts: MathPart[] = [];
  let after = 0;
  const plain = (end: number): void => {
    const between = text.slice(after, end);
    if (between !== '') parts.push({ kind: 'text', text: between, source: between });
  };
  for (const found of text.matchAll(FORMULA)) {
    const [source, dollars, brackets, parentheses, dollar] = found;
    const tex = dollars ?? brackets ?? parentheses ?? dollar ?? '';
    if (tex.trim() === '' || tex.length > MAX_LENGTH) continue;
    plain(found.index);
    parts.push({ kind: dollars === undefined && brackets === undefined ? 'inline' : 'display', text: tex, source });
    after = found.index + source.length;
  }
  plain(text.length);
  return parts;
}
