import type { Card } from '../domain/card.js';
import type { CardStore } from '../domain/ports/cards.js';
import type { Viewer } from '../domain/viewer.js';

/** Cards read beyond those wanted, in place of cards that were deleted while the search ran. */
const SPARE = 5;

/** A candidate with its card as PostgreSQL has it now. */
export interface HydratedCard {
  readonly row: number;
  readonly card: Card;
}

/** The cards of the first `wanted` rows, in order, without those that are gone or that the viewer may not see. */
export async function hydrate(
  cards: Pick<CardStore, 'byIds'>,
  viewer: Viewer,
  {
    rows,
    cardIds,
    wanted,
  }: { readonly rows: readonly number[]; readonly cardIds: readonly string[]; readonly wanted: number },
  signal: AbortSignal,
): Promise<readonly HydratedCard[]> {
  const best = rows.slice(0, wanted + SPARE);
  const ids = best.map((row) => cardIds[row] as string);
  const found = await cards.byIds(viewer, ids, signal);
  return best
    .flatMap((row) => {
      const card = found.get(cardIds[row] as string);
      return card === undefined ? [] : [{ row, card }];
    })
    .slice(0, wanted);
}
