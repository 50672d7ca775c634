import type { CardFields, CardsResult } from '../generated/operations.js';

/** As many as the page keeps; the filters narrow down longer lists. */
const MAX_LOADED = 10_000;

export interface Loaded {
  readonly cards: readonly CardFields[];
  /** The end of the last of these cards' pages; null before the first page. */
  readonly cursor: string | null;
  readonly total: number | null;
  readonly more: boolean;
}

export const NOTHING_LOADED: Loaded = { cards: [], cursor: null, total: null, more: false };

/**
 * Loads the page after what is loaded, and further pages until there are `least` cards. `onPage` is told what is loaded
 * after each page. Throws what `ask` throws.
 */
export async function loadPages(
  before: Loaded,
  least: number,
  ask: (cursor: string | null) => Promise<CardsResult['cards']>,
  onPage: (loaded: Loaded) => void,
): Promise<Loaded> {
  for (let loaded = before; ; ) {
    const { nodes, totalCount, pageInfo } = await ask(loaded.cursor);
    const cards = [...loaded.cards, ...nodes];
    const more = pageInfo.hasNextPage && cards.length < MAX_LOADED;
    loaded = { cards, cursor: pageInfo.endCursor, total: totalCount, more };
    onPage(loaded);
    if (!more || cards.length >= least) return loaded;
  }
}
