import { cleanText } from '../../src/domain/clean-text.js';
import { fieldOf, HEADER_WITHIN } from '../../src/exchange/formats/header-names.js';

/** The field of a name in a file; null for a row counter, undefined for an unknown name. */
export const fieldOfName = (name: string): ReturnType<typeof fieldOf> => fieldOf(cleanText(name));

const isQuestion = (name: string): boolean => fieldOfName(name) === 'questionText';

export const isKnownName = (name: string): boolean => fieldOfName(name) != null;

/** True for names of the question and of another column: then the gateway reads the rows below them as cards. */
export function isHeader(names: readonly string[]): boolean {
  return names.some(isQuestion) && names.filter(isKnownName).length > 1;
}

const isBlank = (cell: string): boolean => cell.trim() === '';

/**
 * The place of the header among rows without empty ones. A row in which only the question is known may be a sentence:
 * it is the header if no other row has more known names. Without a name of the question beside others, the gateway is
 * to be told which column it is, and the row with most known names is the header; if there are none, the first row of
 * more than one cell, since a title has one.
 */
export function headerPlace(rows: readonly (readonly string[])[]): number {
  const known = rows.slice(0, HEADER_WITHIN).map((row) => ({
    names: row.filter(isKnownName).length,
    hasQuestion: row.some(isQuestion),
  }));
  const whole = known.findIndex(({ names, hasQuestion }) => hasQuestion && names > 1);
  if (whole !== -1) return whole;
  const most = Math.max(...known.map(({ names }) => names));
  if (most === 0) {
    const first = rows.slice(0, HEADER_WITHIN).findIndex((row) => row.filter((cell) => !isBlank(cell)).length > 1);
    return Math.max(0, first);
  }
  const alone = known.findIndex(({ hasQuestion }) => hasQuestion);
  return alone !== -1 && most === 1
    ? alone
    : Math.max(
        0,
        known.findIndex(({ names }) => names === most),
      );
}
