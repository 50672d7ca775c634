import type { Lexeme } from './lexemes.js';
import { isPictograph } from './stop-words.js';

/**
 * Shapes of formulas: each run of three or four parts, with `#` for a number and `v` for a variable. `3x+5=11` and
 * `7y+2=30` share `v + #`, `+ # =` and others. Shapes find the same exercise with other numbers, and the same mistake
 * in another equation; error search in algebra gains most. Returns the first `limit` of them.
 */
export function formulaShapes(parts: readonly Lexeme[], limit = Infinity): string[] {
  const shapes = parts.map(shapeOf);
  const found: string[] = [];
  for (let start = 0; start < shapes.length && found.length < limit; start++) {
    let run = '';
    let hasSign = false;
    for (let length = 1; length <= LONGEST; length++) {
      const shape = shapes[start + length - 1];
      if (shape === undefined || shape === null) break;
      run += run === '' ? shape : ` ${shape}`;
      hasSign ||= shape !== '#' && shape !== 'v';
      // Without an operator it is a list of numbers or answers.
      if (length >= SHORTEST && hasSign) found.push(run);
    }
  }
  return found.slice(0, limit);
}

/** In parts. Pairs occur in every formula, and found no more than runs of three and four. */
const SHORTEST = 3;
const LONGEST = 4;

const GREEK = /\p{Script=Greek}/u;

/** Null if the part belongs to no formula. */
function shapeOf({ kind, text }: Lexeme): string | null {
  switch (kind) {
    case 'number':
      return '#';
    case 'name':
      return 'v';
    case 'sign':
      if (isPictograph(text)) return null;
      return GREEK.test(text) ? 'v' : text;
    case 'word':
      return text.length === 1 ? 'v' : null;
    case 'han':
      return null;
  }
}
