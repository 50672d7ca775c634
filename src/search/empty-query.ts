import { BadInputError, NotFoundError } from '../domain/errors.js';

/**
 * Null if a search finds its query empty: the text has no word, the card no text in the perspectives of the search, or
 * it was deleted since it was listed. For searches that nobody asked for by that text or card alone, such as those of
 * all due cards.
 */
export async function nullIfEmpty<T>(search: () => Promise<T>): Promise<T | null> {
  try {
    return await search();
  } catch (thrown) {
    if (thrown instanceof NotFoundError) return null;
    if (thrown instanceof BadInputError && ['text', 'cardId'].includes(thrown.field)) return null;
    throw thrown;
  }
}
