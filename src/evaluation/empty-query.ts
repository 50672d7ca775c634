import { BadInputError } from '../domain/errors.js';

/**
 * Null if a search finds its query empty: the text has no word, or the card has lost its text of the perspective since
 * it was judged. Such a case must not end the measurement of all others.
 */
export async function nullIfEmpty<T>(search: () => Promise<T>): Promise<T | null> {
  try {
    return await search();
  } catch (thrown) {
    if (thrown instanceof BadInputError && ['text', 'cardId'].includes(thrown.field)) return null;
    throw thrown;
  }
}
