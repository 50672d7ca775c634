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
    if (thrown instanceof NotFoundError || isEmptyQuery(thrown)) return null;
    throw thrown;
  }
}

/** Whether a search was refused because the text has no word, or the card no text in the perspectives of the search. */
export function isEmptyQuery(thrown: unknown): boolean {
  return thrown instanceof BadInputError && ['text', 'cardId'].includes(thrown.field);
}
