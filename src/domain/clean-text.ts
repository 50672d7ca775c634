import { simplified } from './simplified.js';

/** Full-width letters, digits and operators. Chinese punctuation is kept. */
const FULL_WIDTH = /[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff0b\uff0d\uff1d\uff05\uff1c\uff1e]/g;
const FULL_WIDTH_OFFSET = 0xfee0;

/** Unusual blanks of table cells: from web pages, Chinese keyboards, and zero-width ones. */
const ODD_BLANKS = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;
const ZERO_WIDTH = /[\u200b\u200c\u2060\ufeff]/g;

/**
 * Normalises differences between programs: blanks at the ends of lines, full-width letters and digits, unusual blanks.
 * For comparing texts and for headers; texts of cards are stored unchanged.
 */
export function cleanText(text: string): string {
  return (
    text
      .replace(/\r\n?/g, '\n')
      .replace(ZERO_WIDTH, '')
      .replace(ODD_BLANKS, ' ')
      .replace(FULL_WIDTH, (char) => String.fromCharCode(char.charCodeAt(0) - FULL_WIDTH_OFFSET))
      .split('\n')
      // A regular expression for trailing blanks takes quadratic time in long runs of blanks.
      .map((line) => line.trimEnd())
      .join('\n')
      .trim()
  );
}

/** Normalises a name, number or date to one line in half width. */
export function cleanName(text: string): string {
  return cleanText(text).normalize('NFKC').replace(/\s+/g, ' ');
}

/** A name as it is compared with known ones: also in lower case and simplified Chinese. */
export function comparedName(name: string): string {
  return simplified(cleanName(name)).toLowerCase();
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML, SVG and XML. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string);
}
