import type { LabelPerspective } from '../../domain/search.js';
import { labelValuesOf } from '../label.js';
import { type OnLane, timeLane } from '../timing.js';
import type { Retrieval, Retrieved } from './retriever.js';

/** Labels with a lower posterior change no list. */
const MIN_POSTERIOR = 1e-5;

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
