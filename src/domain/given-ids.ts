import type { Card } from './card.js';
import { NotFoundError } from './errors.js';
import type { CardStore } from './ports/cards.js';
import type { Viewer } from './viewer.js';

export type MergeableCards = Pick<CardStore, 'byIds' | 'mergedInto'>;

/**
 * The viewer's cards by the ids that a client has for them: their own, or those of cards that were merged into them.
 * Merged cards are looked up only if there is no card with an id.
 */
export async function cardsByGivenIds(
  cards: MergeableCards,
  viewer: Viewer,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Card>> {
  const found = await cards.byIds(viewer, ids, signal);
  const absent = ids.filter((id) => !found.has(id));
  return absent.length === 0 ? found : new Map([...found, ...(await cards.mergedInto(viewer, absent, signal))]);
}

/** As {@link cardsByGivenIds}, of one id. NotFoundError. */
export async function cardByGivenId(
  cards: MergeableCards,
  viewer: Viewer,
  id: string,
  signal?: AbortSignal,
): Promise<Card> {
  const card = (await cardsByGivenIds(cards, viewer, [id], signal)).get(id);
  if (card === undefined) throw new NotFoundError('card', id);
  return card;
}
