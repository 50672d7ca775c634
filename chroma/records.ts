import type { Perspective } from '../src/domain/perspective.js';
import type { PassageRecord } from '../src/domain/ports/collections.js';

/**
 * What a record says of itself to other tools. Every key is always present: an upsert merges metadata and never removes
 * a key, and the client drops nulls, so an absent grade is ''.
 */
export function metadataOf(
  { card, contentHash }: PassageRecord,
  perspective: Perspective,
): Record<string, string | number> {
  return {
    card_id: card.id,
    tenant: card.tenantId,
    owner: card.ownerId,
    revision: card.revision,
    content_hash: contentHash,
    perspective,
    grade: card.grade ?? '',
    subject: card.subject,
    difficulty: card.difficulty,
    updated_at: card.updatedAt.getTime(),
  };
}
