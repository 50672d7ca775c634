import { PERSPECTIVES } from '../domain/perspective.js';
import type { VectorStore } from '../domain/ports/collections.js';
import type { Reconciliation } from '../domain/ports/gateway.js';
import type { Generation, IndexAudit } from '../domain/ports/ledger.js';
import { type Compared, type ConsistencyScanParts, scanConsistency } from './consistency-scan.js';
import { cardOfRecord, expectedRecords, keyOf, type RecordOf } from './differences.js';

/** Cards repaired in one pass, which the indexer writes in some seconds; others are left for the next pass. */
const MAX_REPAIRS = 500;

export interface ReconcileParts extends ConsistencyScanParts {
  readonly audit: IndexAudit;
  readonly vectorStore: ConsistencyScanParts['vectorStore'] &
    Pick<VectorStore, 'remove' | 'removeCards' | 'invalidate'>;
}

export interface Pass {
  readonly found: Reconciliation;
  /** Cards with differences that were not repaired in this pass. */
  readonly left: number;
  /** Input of the next pass. */
  readonly compared: Compared | null;
}

/**
 * Compares one generation with PostgreSQL and repairs the differences: orphan records are removed, and cards with
 * missing or stale records are marked dirty for the indexer. Each repair precedes its mark, so that a concurrent write
 * of the card is repeated. No-op for a consistent index.
 */
export async function reconcile(
  parts: ReconcileParts,
  generation: Generation,
  signal: AbortSignal,
  before: Compared | null = null,
): Promise<Pass> {
  const scan = await scanConsistency(parts, generation, signal, before);
  const { cards, missing, stale, orphans, probed, unreachable, compared } = scan;
  const broken = [...new Set([...orphans, ...missing, ...stale, ...unreachable])];
  const repaired = new Set(broken.slice(0, MAX_REPAIRS));
  signal.throwIfAborted();
  const removed = scan.orphanRecords.filter(({ recordId }) => repaired.has(cardOfRecord(recordId)));
  await removeRecords(parts, generation, removed);
  await invalidateRecords(parts, generation, [...repaired]);
  await parts.audit.mark(generation.tenantId, [...repaired].filter(isCardId));
  const found = {
    finishedAt: new Date(),
    cards,
    missing: missing.size,
    stale: stale.size,
    orphans: orphans.size,
    probed,
    unreachable: unreachable.size,
    repaired: repaired.size,
  };
  return { found, left: broken.length - repaired.size, compared };
}

async function removeRecords(
  { vectorStore }: ReconcileParts,
  generation: Generation,
  records: readonly RecordOf[],
): Promise<void> {
  for (const perspective of PERSPECTIVES) {
    const ids = records.filter((record) => record.perspective === perspective).map(({ recordId }) => recordId);
    if (ids.length > 0) await vectorStore.remove(keyOf(generation, perspective), ids);
  }
}

/**
 * Invalidates all records of the cards: if one is wrong, the others may be too. Records of a card without a ledger
 * entry are removed.
 */
async function invalidateRecords(
  { audit, vectorStore }: ReconcileParts,
  generation: Generation,
  cardIds: readonly string[],
): Promise<void> {
  const cards = [...(await audit.cards(generation.tenantId, generation.number, cardIds)).values()];
  for (const perspective of PERSPECTIVES) {
    const ids = cards.flatMap((card) => [...expectedRecords(card, perspective).keys()]);
    if (ids.length > 0) await vectorStore.invalidate(keyOf(generation, perspective), ids);
    const unknown = cards.filter(({ indexed }) => indexed === null).map(({ cardId }) => cardId);
    if (unknown.length > 0) await vectorStore.removeCards(keyOf(generation, perspective), unknown);
  }
}

/** False for the record of a foreign client: it is removed, and there is no card to index. */
function isCardId(id: string): boolean {
  return id !== '';
}
