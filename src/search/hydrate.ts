import type { Card } from '../domain/card.js';
import type { CardStore } from '../domain/ports/cards.js';
import type { Viewer } from '../domain/viewer.js';

/** Cards read beyond those wanted, to fill the places of those that were deleted while the search ran. */
const SPARE = 5;

/** A candidate with its card as PostgreSQL has it now. */
export interface ReadCard {
  readonly row: number;
  readonly card: Card;
}

/**
 * The cards of the first `wanted` rows, in order: a card that is gone, or not the viewer's, is passed over, and the next one
 * has its place.
 */
export async function read(
  cards: Pick<CardStore, 'byIds'>,
  viewer: Viewer,
  {
    rows,
    cardIds,
    wanted,
  }: { readonly rows: readonly number[]; readonly cardIds: readonly string[]; readonly wanted: number },
  signal: AbortSignal,
): Promise<readonly ReadCard[]> {
  const best = rows.slice(0, wanted + SPARE);
  const found = await cards.byIds(
    viewer,
    best.map((row) => cardIds[row] as string),
    signal,
  );
  return best
    .flatMap((row) => {
      const card = found.get(cardIds[row] as string);
      return card === undefined ? [] : [{ row, card }];
    })
    .slice(0, wanted);
}
