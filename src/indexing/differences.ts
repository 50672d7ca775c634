import type { GiveWay } from '../domain/background.js';
import { PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import {
  type CollectionKey,
  partsOfRecordId,
  type RecordLabel,
  recordId,
  type VectorStore,
} from '../domain/ports/collections.js';
import type { AuditedCard, Generation, IndexAudit } from '../domain/ports/ledger.js';

/** `missing`: a record is absent; `stale`: a record is of another revision or text; `orphan`: there is no such card. */
export type Difference = 'missing' | 'stale' | 'orphan';

export interface RecordOf {
  readonly perspective: Perspective;
  readonly recordId: string;
}

export interface CompareParts {
  readonly audit: Pick<IndexAudit, 'cards'>;
  readonly vectorStore: Pick<VectorStore, 'list' | 'labels'>;
  readonly background: Pick<GiveWay, 'pause'>;
}

export function keyOf({ tenantId, number }: Generation, perspective: Perspective): CollectionKey {
  return { tenantId, generation: number, perspective };
}

/** Expected records of a card in a perspective: record id -> content hash. */
export function expectedRecords({ cardId, indexed }: AuditedCard, perspective: Perspective): Map<string, string> {
  const hashes = indexed?.passages[perspective] ?? [];
  return new Map(hashes.map((hash, passage) => [recordId(cardId, passage), hash]));
}

/**
 * The cards whose records differ from the expected ones. A card that changed during the comparison is left out: it may
 * have been read while being indexed.
 */
export async function differencesOf(
  { audit, vectorStore, background }: CompareParts,
  generation: Generation,
  cards: readonly AuditedCard[],
): Promise<ReadonlyMap<string, Difference>> {
  const suspects = new Map<string, Difference>();
  const atRest = cards.filter(({ waiting }) => !waiting);
  for (const card of atRest) {
    const difference = differenceInLedger(card);
    if (difference !== null) suspects.set(card.cardId, difference);
  }
  for (const perspective of PERSPECTIVES) {
    await background.pause();
    const expected = atRest.map((card) => ({ card, records: expectedRecords(card, perspective) }));
    const ids = expected.flatMap(({ records }) => [...records.keys()]);
    const labels = ids.length === 0 ? new Map() : await vectorStore.labels(keyOf(generation, perspective), ids);
    for (const { card, records } of expected) {
      const difference = differenceInRecords(card, records, labels, generation.tenantId);
      const known = suspects.get(card.cardId);
      if (difference !== null && (known === undefined || known === 'stale')) suspects.set(card.cardId, difference);
    }
  }
  const before = new Map(atRest.map((card) => [card.cardId, card]));
  const after = await audit.cards(generation.tenantId, generation.number, [...suspects.keys()]);
  return new Map([...suspects].filter(([id]) => isUnchanged(before.get(id), after.get(id))));
}

/** Difference between ledger and card of a card that is not in the outbox: it was never marked dirty. */
function differenceInLedger({ revision, indexed }: AuditedCard): Difference | null {
  if (revision === null) return 'orphan';
  if (indexed === null) return 'missing';
  return revision === indexed.revision ? null : 'stale';
}

function differenceInRecords(
  { indexed }: AuditedCard,
  expected: ReadonlyMap<string, string>,
  labels: ReadonlyMap<string, RecordLabel>,
  tenantId: string,
): Difference | null {
  let difference: Difference | null = null;
  for (const [id, contentHash] of expected) {
    const label = labels.get(id);
    if (label === undefined) return 'missing';
    const isRight =
      label.contentHash === contentHash && label.revision === indexed?.revision && label.tenantId === tenantId;
    if (!isRight) difference = 'stale';
  }
  return difference;
}

function isUnchanged(before: AuditedCard | undefined, after: AuditedCard | undefined): boolean {
  return (
    before !== undefined &&
    after !== undefined &&
    !after.waiting &&
    after.revision === before.revision &&
    after.indexed?.revision === before.indexed?.revision
  );
}

/** The records that belong to no card, or no longer to one; cards that are being indexed are left out. */
export async function orphanRecordsAmong(
  { audit, vectorStore }: CompareParts,
  generation: Generation,
  perspective: Perspective,
  recordIds: readonly string[],
): Promise<readonly RecordOf[]> {
  const cardIds = [...new Set(recordIds.map(cardOfRecord))];
  const cards = await audit.cards(generation.tenantId, generation.number, cardIds);
  const unknown = recordIds.filter((id) => {
    const card = cards.get(cardOfRecord(id));
    if (card === undefined) return true;
    // Errors of the ledger itself are found by comparing the cards.
    return !card.waiting && card.indexed !== null && !expectedRecords(card, perspective).has(id);
  });
  if (unknown.length === 0) return [];
  // The records of a card that was deleted since they were listed are gone by now.
  const still = await vectorStore.labels(keyOf(generation, perspective), unknown);
  return unknown.filter((id) => still.has(id)).map((id) => ({ perspective, recordId: id }));
}

/** Card id of a record id; '' if it cannot be a card's. */
export function cardOfRecord(id: string): string {
  return partsOfRecordId(id)?.cardId ?? '';
}
