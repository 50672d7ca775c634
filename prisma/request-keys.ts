import { createHash } from 'node:crypto';
import { ConflictError } from '../src/domain/errors.js';
import type { RequestKey } from '../src/domain/ports/cards.js';
import type { Viewer } from '../src/domain/viewer.js';
import { Prisma } from './generated/client.js';
import type { Statements } from './statements.js';

/** How what came of a change is kept, and answered again. */
export interface Repeatable<T, Kept> {
  /** What is kept of it: no text of a card. */
  readonly keep: (made: T) => Kept;
  readonly again: (tx: Statements, kept: Kept) => Promise<T>;
}

/** How long a key is remembered, by the database's clock: longer than any client goes on trying. */
const REMEMBERED = Prisma.sql`interval '24 hours'`;

/**
 * Makes a change at most once for a key, in the transaction that makes it: the change and its key commit together or not at
 * all, so that a change that failed may be tried again. Two requests with one key wait for each other; what came of the first
 * is answered to the second. ConflictError where that one asks for something else.
 */
export async function atMostOnce<T, Kept>(
  tx: Statements,
  { tenantId, ownerId }: Viewer,
  request: RequestKey | null,
  { make, keep, again }: Repeatable<T, Kept> & { readonly make: (tx: Statements) => Promise<T> },
): Promise<T> {
  if (request === null) return make(tx);
  const { key } = request;
  const bodySha256 = sha256(request.body);
  const own = Prisma.sql`tenant_id = ${tenantId} AND owner_id = ${ownerId}`;
  await tx.execute(Prisma.sql`DELETE FROM idempotency_key WHERE ${own} AND created_at < now() - ${REMEMBERED}`);
  const claimed = await tx.execute(Prisma.sql`
    INSERT INTO idempotency_key (tenant_id, owner_id, key, body_sha256)
    VALUES (${tenantId}, ${ownerId}, ${key}, ${bodySha256}) ON CONFLICT DO NOTHING`);
  if (claimed === 0) {
    const [first] = await tx.query<{ same: boolean; response: Kept }>(Prisma.sql`
      SELECT body_sha256 = ${bodySha256} AS same, response FROM idempotency_key WHERE ${own} AND key = ${key}`);
    if (first === undefined) throw new Error('a request key that stood in the way is not there');
    if (!first.same) throw new ConflictError('the Idempotency-Key was used for another change');
    return again(tx, first.response);
  }
  const made = await make(tx);
  await tx.execute(Prisma.sql`
    UPDATE idempotency_key SET response = ${JSON.stringify(keep(made))}::jsonb WHERE ${own} AND key = ${key}`);
  return made;
}

/** What is kept of a request's body: 32 bytes that tell it from any other, and nothing of what it says. */
export function sha256(body: string): Buffer {
  return createHash('sha256').update(body).digest();
}
