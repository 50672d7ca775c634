import type { Perspective } from '../src/domain/perspective.js';
import type { PassageRecord } from '../src/domain/ports/collections.js';

/** Card id of a record id `<card id>#<passage>`; card ids contain no `#`. Null for a foreign record. */
export function cardIdOf(recordId: string): string | null {
  const end = recordId.lastIndexOf('#');
  return end < 1 ? null : recordId.slice(0, end);
}

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

/** The items in slices of at most `size`. */
export function* batches<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
