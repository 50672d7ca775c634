/** Characters that are drawn with no width: joiners, direction marks, soft hyphens, variation selectors, byte order marks. */
const ZERO_WIDTH = /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\ufe00-\ufe0f]/g;

/**
 * Full-width ASCII but the comma: `100，200，300` is a list, and with half-width commas it would read as one number.
 */
const FULL_WIDTH = /[\uff01-\uff0b\uff0d-\uff5e]/g;
const FULL_WIDTH_OFFSET = 0xfee0;

/** What there is to change at all; most texts of cards have none of it but the ideographs' punctuation. */
const NEEDS_WORK = /[^\t\n\r -~\u3001-\u3003\u4e00-\u9fff\uff0c]/;

/**
 * The text as it is matched, never as it is stored: full-width letters, digits and signs become half-width, characters
 * without a width go, and what can be written in several ways in Unicode is written in one (NFC). Idempotent; case is
 * kept, because LaTeX needs it (see {@link foldCase}).
 */
export function normalise(text: string): string {
  if (!NEEDS_WORK.test(text)) return text;
  return text
    .replace(ZERO_WIDTH, '')
    .replace(FULL_WIDTH, (char) => String.fromCharCode(char.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .replaceAll('\u3000', ' ')
    .normalize('NFC');
}

/** The same for `Area`, `AREA` and `area`; independent of the machine's locale. */
export function foldCase(text: string): string {
  return text.toLowerCase();
}
