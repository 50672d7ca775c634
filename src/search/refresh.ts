import type { MatchingCards } from '../domain/ports/cards.js';
import type { IndexLedger } from '../domain/ports/ledger.js';
import type { LexicalIndexes } from '../lexical/indexes.js';

/** What reading words anew asks and fills. */
export interface RefreshParts {
  readonly ledger: Pick<IndexLedger, 'cards'>;
  readonly lexical: Pick<LexicalIndexes, 'of' | 'set'>;
}

/**
 * Reads the candidates anew whose words here are of an older revision than the one that is indexed: another gateway on the
 * same database changed them. Where this is the only gateway there are none, and nothing is asked.
 */
export async function refreshWords(
  { ledger, lexical }: RefreshParts,
  tenantId: string,
  candidates: MatchingCards,
  signal: AbortSignal,
): Promise<void> {
  const index = lexical.of(tenantId);
  const outdated = [...candidates].filter(([id, revision]) => index.revisionOf(id) < revision).map(([id]) => id);
  if (outdated.length > 0) lexical.set(tenantId, (await ledger.cards(tenantId, outdated, signal)).values());
}
