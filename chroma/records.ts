import type { Metadata } from 'chromadb';
import {
  type NearestCard,
  type PassageRecord,
  partsOfRecordId,
  type RecordLabel,
  recordId,
} from '../src/domain/ports/collections.js';
import { unexpectedResponse } from './errors.js';

export function idOf({ card, passage }: PassageRecord): string {
  return recordId(card.id, passage);
}

/**
 * The fields that reconciliation compares, and the filter fields, for other tools. Each one takes Chroma 3 % of the
 * time of a write (docs/decisions/002-chroma-collections.md). Every key is always present: an upsert merges metadata
 * and never removes a key, and the client drops nulls, so an absent grade is ''.
 */
export function metadataOf({ card, contentHash }: PassageRecord): Metadata {
  return {
    card_id: card.id,
    tenant: card.tenantId,
    revision: card.revision,
    content_hash: contentHash,
    grade: card.grade ?? '',
    subject: card.subject,
    difficulty: card.difficulty,
  };
}

/** A foreign client's record has no text that is known. */
export function labelOf(metadata: Metadata | null | undefined): RecordLabel {
  const { content_hash: hash, revision, tenant } = metadata ?? {};
  return {
    contentHash: typeof hash === 'string' ? hash : '',
    revision: typeof revision === 'number' ? revision : 0,
    tenantId: typeof tenant === 'string' ? tenant : '',
  };
}

/** The cards of a query's result, each once with its best passage, best first. */
export function neighboursOf(
  ids: readonly string[] | undefined,
  distances: readonly (number | null)[] | undefined,
): readonly NearestCard[] {
  if (ids === undefined || distances === undefined || ids.length !== distances.length) {
    throw unexpectedResponse(`${ids?.length} ids and ${distances?.length} distances`);
  }
  const best = new Map<string, number>();
  ids.forEach((id, place) => {
    const distance = distances[place];
    if (typeof distance !== 'number') throw unexpectedResponse(`no distance for ${id}`);
    const cardId = partsOfRecordId(id)?.cardId;
    // A foreign record; reconciliation removes it.
    if (cardId === undefined) return;
    best.set(cardId, Math.max(best.get(cardId) ?? 0, 1 - distance));
  });
  return [...best].map(([cardId, similarity]) => ({ cardId, similarity }));
}
