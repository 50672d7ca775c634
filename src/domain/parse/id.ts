import { parse } from './parse.js';
import { cardId } from './scalars.js';

/**
 * The id of a card, or of something that the gateway made, such as an import: well-formed; whether there is such a
 * thing is for its store to say. BadInputError.
 */
export function parseId(value: unknown, field: string): string {
  return parse(cardId, value, field);
}
