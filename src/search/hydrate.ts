import type { MatchingCard } from '../domain/ports/cards.js';

/** Cards read beyond those wanted, in place of cards that do not match any more. */
const SPARE = 5;

/** A candidate with its card as PostgreSQL has it now. */
export interface HydratedCard extends MatchingCard {
  readonly row: number;
}

export interface Hydrated {
  readonly pool: readonly HydratedCard[];
  /** The ids of those that PostgreSQL does not let through. */
  readonly gone: readonly string[];
}

/** Of many cards, those that match in PostgreSQL. */
export type ReadMatching = (cardIds: readonly string[]) => Promise<ReadonlyMap<string, MatchingCard>>;

/**
 * The cards of the first `wanted` rows, in order, that PostgreSQL lets through: it is asked for more until there are as
 * many.
 */
export async function hydrate(
  matching: ReadMatching,
  {
    rows,
    cardIds,
    wanted,
  }: { readonly rows: readonly number[]; readonly cardIds: readonly string[]; readonly wanted: number },
): Promise<Hydrated> {
  const pool: HydratedCard[] = [];
  const gone: string[] = [];
  for (let at = 0, size = wanted + SPARE; pool.length < wanted && at < rows.length; at += size, size *= 2) {
    const page = rows.slice(at, at + size);
    const found = await matching(page.map((row) => cardIds[row] as string));
    for (const row of page) {
      const cardId = cardIds[row] as string;
      const card = found.get(cardId);
      if (card === undefined) gone.push(cardId);
      else pool.push({ row, ...card });
    }
  }
  return { pool: pool.slice(0, wanted), gone };
}
