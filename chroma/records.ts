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

interface Result {
  readonly ids: readonly (readonly string[])[];
  readonly distances: readonly (readonly (number | null)[])[];
}

/**
 * The cards of a query's nearest `limit` passages, each once with its best passage, best first.
 *
 * @param results of the shards. Of equal distances, the first shard's is first.
 * @param query its place among those that were asked together.
 */
export function neighboursOf(results: readonly Result[], query: number, limit: number): readonly NearestCard[] {
  const passages = results.flatMap((result) => passagesOf(result.ids[query], result.distances[query]));
  if (results.length > 1) passages.sort((a, b) => a.distance - b.distance);
  const best = new Map<string, number>();
  for (const { id, distance } of passages.slice(0, limit)) {
    const cardId = partsOfRecordId(id)?.cardId;
    // A foreign record; reconciliation removes it.
    if (cardId === undefined) continue;
    best.set(cardId, Math.max(best.get(cardId) ?? 0, 1 - distance));
  }
  return [...best].map(([cardId, similarity]) => ({ cardId, similarity }));
}

function passagesOf(ids?: readonly string[], distances?: readonly (number | null)[]) {
  if (ids === undefined || distances === undefined || ids.length !== distances.length) {
    throw unexpectedResponse(`${ids?.length} ids and ${distances?.length} distances`);
  }
  return ids.map((id, place) => {
    const distance = distances[place];
    if (typeof distance !== 'number') throw unexpectedResponse(`no distance for ${id}`);
    return { id, distance };
  });
}
