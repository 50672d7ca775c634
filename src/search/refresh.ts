import type { MatchingCard } from '../domain/ports/cards.js';
import type { VectorSource } from '../domain/ports/vectors.js';
import { inSteps } from '../domain/steps.js';
import type { Found } from './find.js';
import { DEEPEST, type PlanParts, planSearch } from './plan.js';
import type { Retrievable } from './retrieve.js';
import { withoutCards } from './scope.js';
import { poolSize } from './select.js';

export interface RefreshParts extends PlanParts {
  readonly stored: VectorSource;
}

/**
 * The search to run again if what it found is not what PostgreSQL has, since the index lags behind: without the cards
 * that do not match any more if hits are missing for them, and after indexing anew the hits that another gateway has
 * changed. Null if the answer stands.
 */
export async function refreshed(
  parts: RefreshParts,
  search: Retrievable,
  { pool, gone, scored, labelled }: Found,
  signal: AbortSignal,
): Promise<Retrievable | null> {
  const { index, generation, request } = search;
  // One that is not in the index any more was deleted after it was read, and must not come back.
  const isLexicallyStale = ({ card, indexedRevision }: MatchingCard): boolean =>
    index.cards.docOf(card.id) !== undefined && index.cards.revisionOf(card.id) < indexedRevision;
  const hasOldVectors = ({ card, indexedRevision }: MatchingCard): boolean =>
    (scored.vectors.get(card.id)?.revision ?? indexedRevision) < indexedRevision;
  const words = pool.filter(isLexicallyStale);
  const outdated = new Map(pool.filter(hasOldVectors).map(({ card, indexedRevision }) => [card.id, indexedRevision]));
  for (const one of words) {
    await inSteps(index.analyse(one.card), undefined, signal);
    // It may have been deleted between two steps.
    if (isLexicallyStale(one)) index.set(one.card);
  }
  const { vectors } = await parts.stored.of(generation.tenantId, generation.number, outdated, signal);
  const isRefreshed = words.length > 0 || vectors.size > 0;
  const isShort = gone.length > 0 && pool.length < Math.min(poolSize(request), labelled.matrix.cardIds.length);
  if (!isRefreshed && !isShort) return null;
  const next = withoutCards(search, gone);
  const plan = planSearch(parts, next);
  // Where many cards have changed, what is nearest is likely to be gone as well.
  const depth = isShort ? Math.min(DEEPEST, 4 * Math.max(search.plan.depth, plan.depth)) : plan.depth;
  return { ...next, plan: { ...plan, depth } };
}
