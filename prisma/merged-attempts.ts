import type { Replay } from '../src/domain/ports/practice.js';
import { derive } from './attempts.js';
import { lockOwner } from './card-rows.js';
import { Prisma } from './generated/client.js';
import type { Transaction } from './statements.js';

/** A merge: the card that is kept, and the one that goes. */
export interface MergedIds {
  readonly tenantId: string;
  readonly into: string;
  readonly from: string;
}

/**
 * Makes the attempts at one card attempts at another one, records which those were, and derives the review states of their students
 * anew. Before the card is deleted, or its attempts go with it. Runs without row-level security: a student who merges cards keeps
 * the attempts of teachers at them too, which that student does not see.
 */
export async function moveAttempts(tx: Transaction, merged: MergedIds, replay: Replay): Promise<void> {
  const { tenantId, into, from } = merged;
  const { attempt } = tx.prisma;
  const students = await lockStudents(
    tx,
    tenantId,
    Prisma.sql`
    SELECT DISTINCT owner_id FROM attempt WHERE tenant_id = ${tenantId} AND (card_id = ${from} OR review_of = ${from})`,
  );
  await tx.execute(Prisma.sql`
    INSERT INTO card_merge_attempt (tenant_id, from_id, owner_id, key, at_card, of_card)
    SELECT tenant_id, ${from}, owner_id, key, card_id = ${from}, review_of IS NOT DISTINCT FROM ${from} FROM attempt
    WHERE tenant_id = ${tenantId} AND (card_id = ${from} OR review_of = ${from})`);
  await attempt.updateMany({ where: { tenantId, cardId: from }, data: { cardId: into } });
  await attempt.updateMany({ where: { tenantId, reviewOf: from }, data: { reviewOf: into } });
  for (const ownerId of students) await derive(tx, { tenantId, ownerId }, [into], replay);
}

/** Undoes {@link moveAttempts}, once the card is there again. Attempts that were made since stay with the other one. */
export async function returnAttempts(tx: Transaction, merged: MergedIds, replay: Replay): Promise<void> {
  const { tenantId, into, from } = merged;
  const students = await lockStudents(
    tx,
    tenantId,
    Prisma.sql`
    SELECT DISTINCT owner_id FROM card_merge_attempt WHERE tenant_id = ${tenantId} AND from_id = ${from}`,
  );
  await tx.execute(Prisma.sql`
    UPDATE attempt a SET
      card_id = CASE WHEN m.at_card AND a.card_id = ${into} THEN ${from} ELSE a.card_id END,
      review_of = CASE WHEN m.of_card AND a.review_of = ${into} THEN ${from} ELSE a.review_of END
    FROM card_merge_attempt m
    WHERE m.tenant_id = ${tenantId} AND m.from_id = ${from}
      AND a.tenant_id = m.tenant_id AND a.owner_id = m.owner_id AND a.key = m.key`);
  for (const ownerId of students) await derive(tx, { tenantId, ownerId }, [into, from], replay);
  await tx.execute(Prisma.sql`
    UPDATE card c SET attempted_by_owner = false
    WHERE c.tenant_id = ${tenantId} AND c.id = ${into} AND NOT EXISTS (
      SELECT FROM card_review r WHERE r.tenant_id = c.tenant_id AND r.owner_id = c.owner_id AND r.card_id = c.id)`);
}

/** In one order for all transactions. */
async function lockStudents(tx: Transaction, tenantId: string, owners: Prisma.Sql): Promise<readonly string[]> {
  const rows = await tx.query<{ owner_id: string }>(Prisma.sql`${owners} ORDER BY owner_id`);
  for (const { owner_id: ownerId } of rows) await lockOwner(tx, { tenantId, ownerId });
  return rows.map(({ owner_id: ownerId }) => ownerId);
}
