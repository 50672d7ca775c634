import { type OnLane, timeLane } from '../timing.js';
import type { Retrieval, Retrieved, Retriever } from './retriever.js';

/** The best cards of each lexical lane by BM25. */
export class LexicalRetriever implements Retriever {
  readonly #onLane: OnLane;

  constructor(onLane: OnLane) {
    this.#onLane = onLane;
  }

  async retrieve({ index, lanes, query, depth, voteDepth }: Retrieval): Promise<Retrieved | null> {
    const lists = lanes.flatMap((lane) => {
      const { kind, perspective } = lane;
      const expanded = query.expanded[perspective];
      const terms = expanded.length > 0 ? expanded : query.terms[perspective];
      if (kind !== 'LEXICAL' || terms.length === 0) return [];
      return [timeLane(this.#onLane, lane, () => index.search(perspective, terms, Math.max(depth, voteDepth)))];
    });
    if (lists.length === 0) return null;
    const firstOf = (count: number): string[] =>
      lists.flatMap((list) => list.slice(0, count)).map(({ cardId }) => cardId);
    return { ids: firstOf(depth), voting: firstOf(voteDepth), degraded: [], answered: true };
  }
}
