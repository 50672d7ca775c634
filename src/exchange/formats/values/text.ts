/** Full-width letters, digits and the signs of arithmetic. Chinese punctuation is as it should be in a Chinese text. */
const FULL_WIDTH = /[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff0b\uff0d\uff1d\uff05\uff1c\uff1e]/g;
const FULL_WIDTH_OFFSET = 0xfee0;

/** Blanks of a table cell that nobody typed on purpose: those of a web page, of a Chinese keyboard, and those without a width. */
const ODD_BLANKS = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;
const ZERO_WIDTH = /[\u200b\u200c\u2060\ufeff]/g;

/**
 * A text without what differs from program to program: blanks at the ends of lines, full-width letters and digits, blanks of odd
 * widths. For comparing texts and for headers; texts of cards are stored as they are given. '' where nothing is left.
 */
export function cleanText(text: string): string {
  return (
    text
      .replace(/\r\n?/g, '\n')
      .replace(ZERO_WIDTH, '')
      .replace(ODD_BLANKS, ' ')
      .replace(FULL_WIDTH, (char) => String.fromCharCode(char.charCodeAt(0) - FULL_WIDTH_OFFSET))
      .split('\n')
      // A regular expression for the end of a line takes quadratic time in blanks that are not there.
      .map((line) => line.trimEnd())
      .join('\n')
      .trim()
  );
}

/** A name, a number or a date of a cell in one line, every full-width form made half-width. */
export function cleanName(text: string): string {
  return cleanText(text).normalize('NFKC').replace(/\s+/g, ' ');
}
