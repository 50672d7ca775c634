import { PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import { type CollectionKey, type RecordInspector, type RecordLabel, recordId } from '../domain/ports/collections.js';
import type { AuditedCard, Generation, IndexAudit } from '../domain/ports/ledger.js';

/** What is wrong with a card in the index: it lacks a record, one is not of the card as it is, or there is no such card. */
export type Difference = 'missing' | 'stale' | 'orphan';

/** A record of a collection. */
export interface RecordOf {
  readonly perspective: Perspective;
  readonly recordId: string;
}

/** What is compared. */
export interface CompareParts {
  readonly audit: Pick<IndexAudit, 'cards'>;
  readonly inspector: Pick<RecordInspector, 'list' | 'labels'>;
}

/** The collection of a generation that holds the perspective. */
export function keyOf({ tenantId, number }: Generation, perspective: Perspective): CollectionKey {
  return { tenantId, generation: number, perspective };
}

/** The records that a card should have in a perspective, by record id, each with the hash of its text. */
export function expectedRecords({ cardId, indexed }: AuditedCard, perspective: Perspective): Map<string, string> {
  const hashes = indexed?.passages[perspective] ?? [];
  return new Map(hashes.map((hash, passage) => [recordId(cardId, passage), hash]));
}

/**
 * Those of the cards whose records are not what they should be. A card that changed while it was looked at is left out: what
 * was seen of it was a moment of its being indexed.
 */
export async function differencesOf(
  { audit, inspector }: CompareParts,
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
    const expected = atRest.map((card) => ({ card, records: expectedRecords(card, perspective) }));
    const ids = expected.flatMap(({ records }) => [...records.keys()]);
    const labels = ids.length === 0 ? new Map() : await inspector.labels(keyOf(generation, perspective), ids);
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

/** A card that the ledger has in another revision, or has not, or still has, and that waits for nobody, was never marked. */
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

/** Those of the records that no card has, or none any more; a card that is being indexed may have any. */
export async function orphanRecordsAmong(
  { audit, inspector }: CompareParts,
  generation: Generation,
  perspective: Perspective,
  recordIds: readonly string[],
): Promise<readonly RecordOf[]> {
  const cardIds = [...new Set(recordIds.map(cardOfRecord))];
  const cards = await audit.cards(generation.tenantId, generation.number, cardIds);
  const unknown = recordIds.filter((id) => {
    const card = cards.get(cardOfRecord(id));
    if (card === undefined) return true;
    // What the ledger itself has wrong is found by comparing the cards.
    return !card.waiting && card.indexed !== null && !expectedRecords(card, perspective).has(id);
  });
  if (unknown.length === 0) return [];
  // A card that was deleted since the records were listed has none of them now.
  const still = await inspector.labels(keyOf(generation, perspective), unknown);
  return unknown.filter((id) => still.has(id)).map((id) => ({ perspective, recordId: id }));
}

/** Whose record it is by its id; '' where no card can have it. */
export function cardOfRecord(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf('#')));
}
