import { PERSPECTIVES } from '../domain/perspective.js';
import type { RecordInspector, VectorWriter } from '../domain/ports/collections.js';
import type { Reconciliation } from '../domain/ports/gateway.js';
import type { Generation, IndexAudit } from '../domain/ports/ledger.js';
import { type Compared, type ConsistencyScanParts, scanConsistency } from './consistency-scan.js';
import { cardOfRecord, expectedRecords, keyOf, type RecordOf } from './differences.js';

/** Cards repaired a pass, which the indexer writes in some seconds; more are left for the next pass. */
const MAX_REPAIRS = 500;

/** What reconciliation asks and how it repairs. */
export interface ReconcileParts extends ConsistencyScanParts {
  readonly audit: IndexAudit;
  readonly inspector: RecordInspector;
  readonly writer: Pick<VectorWriter, 'remove' | 'removeCards'>;
}

/** What one pass came to. */
export interface Pass {
  readonly found: Reconciliation;
  /** Cards that were found and could not be repaired in this pass. */
  readonly left: number;
  /** For the next pass. */
  readonly compared: Compared | null;
}

/**
 * Surveys one generation and repairs what differs: records that no card has are removed, and whatever a card lacks is written by
 * the indexer, for which the card is marked. Each repair comes before its mark: whoever was just writing the card does it once
 * more. Without effect on an index that is whole.
 */
export async function reconcile(
  parts: ReconcileParts,
  generation: Generation,
  signal: AbortSignal,
  before: Compared | null = null,
): Promise<Pass> {
  const { cards, missing, stale, orphans, orphanRecords, probed, unreachable, compared } = await scanConsistency(
    parts,
    generation,
    signal,
    before,
  );
  const broken = [...new Set([...orphans, ...missing, ...stale, ...unreachable])];
  const repaired = new Set(broken.slice(0, MAX_REPAIRS));
  signal.throwIfAborted();
  await removeRecords(
    parts,
    generation,
    orphanRecords.filter(({ recordId }) => repaired.has(cardOfRecord(recordId))),
  );
  await invalidateRecords(parts, generation, [...repaired]);
  await parts.audit.mark(generation.tenantId, [...repaired].filter(isCardId));
  const found = {
    finishedAt: new Date(),
    cards,
    missing: missing.size,
    stale: stale.size,
    ghosts: orphans.size,
    probed,
    unreachable: unreachable.size,
    repaired: repaired.size,
  };
  return { found, left: broken.length - repaired.size, compared };
}

async function removeRecords(
  { writer }: ReconcileParts,
  generation: Generation,
  records: readonly RecordOf[],
): Promise<void> {
  for (const perspective of PERSPECTIVES) {
    const ids = records.filter((record) => record.perspective === perspective).map(({ recordId }) => recordId);
    if (ids.length > 0) await writer.remove(keyOf(generation, perspective), ids);
  }
}

/**
 * Invalidates all records of the cards: where one is wrong, the others may be. A card that the ledger does not know may have any
 * records: they are removed.
 */
async function invalidateRecords(
  { audit, inspector, writer }: ReconcileParts,
  generation: Generation,
  cardIds: readonly string[],
): Promise<void> {
  const cards = [...(await audit.cards(generation.tenantId, generation.number, cardIds)).values()];
  for (const perspective of PERSPECTIVES) {
    const ids = cards.flatMap((card) => [...expectedRecords(card, perspective).keys()]);
    if (ids.length > 0) await inspector.invalidate(keyOf(generation, perspective), ids);
    const unknown = cards.filter(({ indexed }) => indexed === null).map(({ cardId }) => cardId);
    if (unknown.length > 0) await writer.removeCards(keyOf(generation, perspective), unknown);
  }
}

/** A record that was put there under another name than ours is removed, and there is no card to index. */
function isCardId(id: string): boolean {
  return id !== '';
}
