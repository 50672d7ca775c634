import type { Api } from '../api/client.js';
import { type AttachedFields, type CardFields, CardFiles } from '../generated/operations.js';

export type CardWithFiles = CardFields & AttachedFields;

/** As many as the gateway takes. */
const AT_ONCE = 100;

/**
 * The cards by the ids that were asked for, without those that were deleted. A merged card is the one that it was
 * merged into. ApiError; AbortError if the signal aborts.
 */
export async function currentCards(
  api: Pick<Api, 'run'>,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, CardWithFiles>> {
  const found = new Map<string, CardWithFiles>();
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const asked = ids.slice(from, from + AT_ONCE);
    const { cardsByIds } = await api.run(CardFiles, { ids: asked }, signal);
    asked.forEach((id, place) => {
      const card = cardsByIds[place];
      if (card != null) found.set(id, card);
    });
  }
  return found;
}

/** What was selected as it is now, by the ids that the cards have now: in the same order, each card once. */
export function selectionNow<Card extends { readonly id: string }>(
  ids: Iterable<string>,
  found: ReadonlyMap<string, Card>,
): ReadonlyMap<string, Card> {
  const cards = [...ids].flatMap((id) => found.get(id) ?? []);
  return new Map(cards.map((card) => [card.id, card]));
}
