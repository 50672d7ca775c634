import { type OnLane, timeLane } from '../timing.js';
import type { Retrieval, Retrieved } from './retriever.js';

/** The best matches of each lexical lane by BM25, and the best of all cards, which vote. */
export function retrieveByTerms(
  { index, lanes, query, depth, voteDepth, matches }: Retrieval,
  onLane: OnLane,
): Retrieved | null {
  const among = matches?.docs.docs();
  const lists = lanes.flatMap((lane) => {
    const { kind, perspective } = lane;
    const expanded = query.expanded[perspective];
    const terms = expanded.length > 0 ? expanded : query.terms[perspective];
    if (kind !== 'LEXICAL' || terms.length === 0) return [];
    const best = (limit: number, docs?: Uint32Array): readonly string[] =>
      index
        .search(perspective, terms, limit, { among: docs, combined: query.combined === perspective })
        .map(({ cardId }) => cardId);
    return timeLane(onLane, lane, () => {
      const all = best(among === undefined ? Math.max(depth, voteDepth) : voteDepth);
      return [{ ids: among === undefined ? all.slice(0, depth) : best(depth, among), voting: all.slice(0, voteDepth) }];
    });
  });
  if (lists.length === 0) return null;
  const ids = lists.flatMap((list) => list.ids);
  return { ids, voting: lists.flatMap((list) => list.voting), degraded: [], answered: true };
}
