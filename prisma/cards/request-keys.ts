import { createHash } from 'node:crypto';
import type { Card } from '../../src/domain/card.js';
import { KeyReusedError, NotFoundError } from '../../src/domain/errors.js';
import type { RequestKey } from '../../src/domain/ports/cards.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { Prisma } from '../generated/client.js';
import { actAs } from '../row-level-security.js';
import { json, type ViewerTransaction } from '../statements.js';
import { ownedBy, visible } from '../viewer-conditions.js';
import { selectCardsById } from './card-rows.js';
import { findSurvivors } from './merged-cards.js';

export interface Repeatable<T, Stored extends object> {
  readonly make: (tx: ViewerTransaction) => Promise<T>;
  /** Must not contain texts of cards. */
  readonly store: (made: T) => Stored;
  readonly repeat: (tx: ViewerTransaction, stored: Stored) => Promise<T>;
}

/** How long a key is kept, by the database's clock: longer than any client retries. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

/**
 * Makes a change at most once for a request key. The change and the key are committed together, so that a failed change
 * can be retried. Of two concurrent requests with one key, the second waits and gets the outcome of the first.
 * KeyReusedError if the sender used the key for another change.
 */
export async function atMostOnce<T, Stored extends object>(
  tx: ViewerTransaction,
  viewer: Viewer,
  request: RequestKey | null,
  { make, store, repeat }: Repeatable<T, Stored>,
): Promise<T> {
  if (request === null) return make(tx);
  const { idempotencyKey } = tx.prisma;
  const { key, body, sender = viewer } = request;
  const bodySha256 = sha256(body);
  /** Row-level security shows keys to their senders alone. */
  const become = async (one: Viewer): Promise<void> => {
    if (sender.ownerId !== viewer.ownerId) await actAs(tx, one);
  };
  await become(sender);
  const isClaimed = await claim(tx, sender, key, bodySha256);
  const where = { ...ownedBy(sender), key };
  if (!isClaimed) {
    const first = await idempotencyKey.findFirstOrThrow({ where });
    if (!bodySha256.equals(first.bodySha256)) throw new KeyReusedError();
    await become(viewer);
    return repeat(tx, first.response as Stored);
  }
  await become(viewer);
  const made = await make(tx);
  await become(sender);
  await idempotencyKey.updateMany({ where, data: { response: json(store(made)) } });
  return made;
}

/**
 * Waits for a concurrent transaction that has claimed the key. Also deletes the owner's expired keys, which saves a
 * round trip.
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

/** Identifies a request's body, whose text is not stored. */
export function sha256(body: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(body).digest() as Buffer<ArrayBuffer>;
}

export interface ChangedCard {
  readonly card: Card;
  readonly changed: boolean;
}

/** All of {@link Repeatable} but the change itself. */
type Repetition<T, Stored extends object> = Omit<Repeatable<T, Stored>, 'make'>;

/** A repeated request is answered with the card as it is now, or with the one that it was merged into. */
export function repeatedCard(viewer: Viewer): Repetition<Card, { readonly cardId: string }> {
  return {
    store: ({ id }) => ({ cardId: id }),
    repeat: async (tx, { cardId }) => {
      const [card] = await selectCardsById(tx, visible(viewer), [cardId]);
      if (card !== undefined) return card;
      const survivors = await findSurvivors(tx, viewer, [cardId]);
      const [survivor] = await selectCardsById(tx, visible(viewer), [...survivors.values()]);
      if (survivor === undefined) throw new NotFoundError('card', cardId);
      return survivor;
    },
  };
}

export function repeatedChange(viewer: Viewer): Repetition<ChangedCard, { readonly cardId: string }> {
  const { store, repeat } = repeatedCard(viewer);
  return {
    store: ({ card }) => store(card),
    repeat: async (tx, stored) => ({ card: await repeat(tx, stored), changed: false }),
  };
}

export const REPEATED_DELETION: Repetition<boolean, { readonly deleted: boolean }> = {
  store: (deleted) => ({ deleted }),
  repeat: async (_tx, { deleted }) => deleted,
};
