import type { SearchHit } from '../domain/search.js';
import type { Viewer } from '../domain/viewer.js';
import type { CardStore } from '../ports.js';
import type { FusedCard } from './fuse.js';

/** Cards read beyond topK, to fill the places of those that were deleted while the search ran. */
const SPARE = 5;

/** The best `topK` as PostgreSQL has them now: a card that is gone, or not the viewer's, is passed over. */
export async function hydrate(
  cards: Pick<CardStore, 'byIds'>,
  viewer: Viewer,
  ranked: readonly FusedCard[],
  topK: number,
): Promise<readonly SearchHit[]> {
  const best = ranked.slice(0, topK + SPARE);
  const found = await cards.byIds(
    viewer,
    best.map(({ cardId }) => cardId),
  );
  return best
    .flatMap(({ cardId, score, lanes }) => {
      const card = found.get(cardId);
      return card === undefined ? [] : [{ card, score, lanes }];
    })
    .slice(0, topK)
    .map((hit, place) => ({ ...hit, rank: place + 1 }));
}
