/**
 * Supported encodings: UTF-8; GB18030, Big5 and Windows-1252 ("ANSI" of programs in simplified and traditional Chinese
 * and in English); and UTF-16 ("Unicode" of Excel).
 */
export type Encoding = 'utf-8' | 'gb18030' | 'big5' | 'windows-1252' | 'utf-16le' | 'utf-16be';

/** The encoding that the first two bytes of a text mark it with; null if they do not. */
export function markedEncoding([first, second]: Uint8Array): Encoding | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : null;
}

const ASCII_END = 0x80;

/** Signs that texts in Windows-1252 hardly have, and frequent leads of Big5: ¡ ¤ ¦ ¨ ª ¬ soft hyphen ¯ ¶ ¸ º. */
const HARDLY_LATIN: ReadonlySet<number> = new Set([0xa1, 0xa4, 0xa6, 0xa8, 0xaa, 0xac, 0xad, 0xaf, 0xb6, 0xb8, 0xba]);

/** … ‘ ’ “ ” – —, which may be next to another sign. */
const MAY_TOUCH: ReadonlySet<number> = new Set([0x85, 0x91, 0x92, 0x93, 0x94, 0x96, 0x97]);

/**
 * Whether a text that is not UTF-8 is Windows-1252: its signs and accents, such as ° and ½, stand alone between
 * characters of ASCII or beside quotation marks. Most Chinese characters have two bytes beyond ASCII.
 */
export function isWindows1252(bytes: Uint8Array): boolean {
  return bytes.every((byte, at) => {
    if (byte < ASCII_END) return true;
    const next = bytes[at + 1] ?? 0;
    return !HARDLY_LATIN.has(byte) && (next < ASCII_END || MAY_TOUCH.has(byte) || MAY_TOUCH.has(next));
  });
}

/** The characters of Windows-1252 that are controls in Latin 1. */
const MARKS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Some versions of Node read Windows-1252 as Latin 1 (nodejs/node#56542). Other texts are returned as they are. */
export function withMarks(text: string, encoding: Encoding): string {
  if (encoding !== 'windows-1252') return text;
  return text.replace(/[\x80-\x9f]/g, (control) => MARKS[control.charCodeAt(0) - ASCII_END] ?? control);
}

/**
 * Over 0 if a text that is not UTF-8 is Big5, otherwise it is GB18030; for a text in parts, the sum over them. Nearly
 * all bytes of each encoding are valid in the other one, so that frequent characters decide. A pair of bytes counts if
 * it is a frequent character of one encoding and in the other rare or for private use. Those of simple characters of
 * Big5 (中, 分) are Greek letters and kana in GB18030: they do not count. Of 705 texts of the sample none in simplified
 * characters was taken for Big5; in traditional ones, only some of at most 12 characters were taken for the other (by
 * hand).
 */
export function big5Evidence(bytes: Uint8Array): number {
  let evidence = 0;
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] as number;
    if (lead < ASCII_END) continue;
    const trail = bytes[at + 1] ?? 0;
    if (trail >= 0x30 && trail <= 0x39) {
      // Four bytes of GB18030.
      evidence -= 1;
      at += 3;
    } else if (trail >= 0x40) {
      evidence += weight(lead, trail);
      at += 1;
    }
  }
  return evidence;
}

function weight(lead: number, trail: number): -1 | 0 | 1 {
  const isLowTrail = trail < 0x7f;
  // Between the ranges of trail bytes of Big5, or of a lead byte with rare characters of Big5 only.
  if (lead < 0xa1 || lead > 0xc6 || (!isLowTrail && trail < 0xa1)) return -1;
  if (isLowTrail) return lead === 0xa8 || lead === 0xa9 ? 0 : 1;
  return lead >= 0xaa && lead <= 0xaf ? 1 : 0;
}
