import type { LabelPerspective } from '../../domain/search.js';
import { labelValuesOf } from '../label.js';
import { type OnLane, timeLane } from '../timing.js';
import type { Retrieval, Retrieved } from './retriever.js';

/** Labels with a lower posterior change no list. */
const MIN_POSTERIOR = 1e-5;

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
      index.texts
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

/**
 * The cards of the most likely labels; of a label with more cards than wanted, the best for the query's terms first.
 * They may share no word with the query, so that no other retriever proposes them.
 */
export function retrieveByLabels(retrieval: Retrieval, onLane: OnLane): Retrieved | null {
  const { lanes, depth, voteDepth } = retrieval;
  const cardsTo = (wanted: number): readonly string[] =>
    lanes.flatMap((lane) =>
      lane.kind === 'INFERRED'
        ? timeLane(onLane, lane, () => cardsOfLikelyLabels(lane.perspective, retrieval, wanted))
        : [],
    );
  const ids = cardsTo(depth);
  if (ids.length === 0) return null;
  return { ids, voting: depth === voteDepth ? ids : cardsTo(voteDepth), degraded: [], answered: true };
}

function cardsOfLikelyLabels(
  of: LabelPerspective,
  { index, query, rule }: Retrieval,
  depth: number,
): readonly string[] {
  const text = of === 'concept' ? 'question' : 'error';
  const terms = query.terms[text];
  const found = new Set<string>();
  const { posteriors } = labelValuesOf(of, { index, query, rule }, []);
  for (const [label, posterior] of [...posteriors].sort(([, a], [, b]) => b - a)) {
    const wanted = depth - found.size;
    if (wanted <= 0 || posterior < MIN_POSTERIOR) break;
    for (const cardId of index.cardsWithLabel({ label, of }, { terms, text }, wanted)) found.add(cardId);
  }
  return [...found];
}
