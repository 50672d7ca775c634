import { createHash } from 'node:crypto';
import { ConflictError } from '../src/domain/errors.js';
import type { RequestKey } from '../src/domain/ports/cards.js';
import type { Viewer } from '../src/domain/viewer.js';
import { Prisma } from './generated/client.js';
import { json, type ViewerTransaction } from './statements.js';
import { ownedBy } from './viewer-conditions.js';

/** How a change is made, how its outcome is stored, and how a repeated request is answered from that. */
export interface Repeatable<T, Stored extends object> {
  readonly make: (tx: ViewerTransaction) => Promise<T>;
  /** Must contain no text of a card. */
  readonly store: (made: T) => Stored;
  readonly repeat: (tx: ViewerTransaction, stored: Stored) => Promise<T>;
}

/** How long a key is remembered, by the database's clock: longer than any client retries. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

/**
 * Makes a change at most once for a request key. The change and its key commit together or not at all, so that a change that
 * failed may be tried again. Two requests with one key wait for each other, and the second gets the outcome of the first.
 * ConflictError where the key was used for another change.
 */
export async function atMostOnce<T, Stored extends object>(
  tx: ViewerTransaction,
  viewer: Viewer,
  request: RequestKey | null,
  { make, store, repeat }: Repeatable<T, Stored>,
): Promise<T> {
  if (request === null) return make(tx);
  const { idempotencyKey } = tx.prisma;
  const { key } = request;
  const bodySha256 = sha256(request.body);
  const isClaimed = await claim(tx, viewer, key, bodySha256);
  const where = { ...ownedBy(viewer), key };
  if (!isClaimed) {
    const first = await idempotencyKey.findFirstOrThrow({ where });
    if (!bodySha256.equals(first.bodySha256))
      throw new ConflictError('the Idempotency-Key was used for a different mutation');
    return repeat(tx, first.response as Stored);
  }
  const made = await make(tx);
  await idempotencyKey.updateMany({ where, data: { response: json(store(made)) } });
  return made;
}

/**
 * Waits for a transaction that has just claimed the key. Deletes the owner's expired keys in the same statement: a round trip less
 * for each mutation.
 */
async function claim(
  tx: ViewerTransaction,
  { tenantId, ownerId }: Viewer,
  key: string,
  bodySha256: Buffer,
): Promise<boolean> {
  const expired = new Date(tx.now.getTime() - REMEMBERED_MS);
  const rows = await tx.execute(Prisma.sql`
    WITH expired AS (
      DELETE FROM idempotency_key WHERE tenant_id = ${tenantId} AND owner_id = ${ownerId} AND key <> ${key}
        AND created_at < ${expired}
    )
    INSERT INTO idempotency_key AS k (tenant_id, owner_id, key, body_sha256)
    VALUES (${tenantId}, ${ownerId}, ${key}, ${bodySha256})
    ON CONFLICT (tenant_id, owner_id, key) DO UPDATE
    SET body_sha256 = excluded.body_sha256, response = NULL, created_at = now() WHERE k.created_at < ${expired}`);
  return rows > 0;
}

/** Identifies a request's body without storing its text. */
export function sha256(body: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(body).digest() as Buffer<ArrayBuffer>;
}
