import { parse } from './parse.js';
import { cardId } from './scalars.js';

/**
 * The id of something that the gateway made, an import or a judgement, as well-formed as a card's: whether there is
 * such a thing is for its store to say. BadInputError.
 */
export function parseId(value: unknown, field: string): string {
  return parse(cardId, value, field);
}
