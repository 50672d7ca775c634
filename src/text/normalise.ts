/** Joiners, direction marks, soft hyphens, variation selectors, byte order marks. */
const ZERO_WIDTH = /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\ufe00-\ufe0f]/g;

/** Full-width ASCII without the comma: `100，200，300` is a list, and would be one number with half-width commas. */
const FULL_WIDTH = /[\uff01-\uff0b\uff0d-\uff5e]/g;
const FULL_WIDTH_OFFSET = 0xfee0;

/**
 * Characters that stand for others, as office programs and PDF files write them: mathematical letters (𝑥, ℝ),
 * ligatures (ﬁ), radicals (⼆ for 二), small signs (﹢).
 */
const COMPATIBLE =
  /[\u2f00-\u2fd5\ufb00-\ufb06\ufe50-\ufe6b\u2102\u210d\u2115\u2119\u211a\u211d\u2124]|[\u{1d400}-\u{1d7ff}]/gu;

/** Units in one character, such as ㎡ and ㎏. */
const UNIT = /[\u3371-\u33df]/g;

/** Fast path: most texts have nothing to normalise. */
const NEEDS_WORK = /[^\t\n\r -~\u3001-\u3003\u4e00-\u9fff\uff0c]/;

/**
 * For matching, never for storing: full-width letters, digits and signs become half-width, zero-width characters are
 * dropped, characters that stand for others are replaced, NFC. Idempotent. Keeps the case, which LaTeX needs.
 */
export function normalise(text: string): string {
  if (!NEEDS_WORK.test(text)) return text;
  return text
    .replace(ZERO_WIDTH, '')
    .replace(FULL_WIDTH, (char) => String.fromCharCode(char.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .replaceAll('\u3000', ' ')
    .replace(COMPATIBLE, (char) => char.normalize('NFKC'))
    .replace(UNIT, (char) => unitOf(char.normalize('NFKC')))
    .normalize('NFC');
}

/** The digit at the end of m2 is a power. */
function unitOf(letters: string): string {
  return letters.replace(/2$/, '²').replace(/3$/, '³');
}
