import { BadInputError } from '../errors.js';

/** The value of a JSON text; undefined if it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value of a JSON text. BadInputError (`field`) if it is not JSON. */
export function parseJson(text: string, field: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new BadInputError(field, `is not JSON: ${(thrown as Error).message}`);
  }
}
