import type { Viewer } from '../../src/domain/viewer.js';
import { lockOwners } from '../cards/card-rows.js';
import { Prisma } from '../generated/client.js';
import { actAs, actAsGateway } from '../row-level-security.js';
import type { Transaction } from '../statements.js';
import { derive } from './review-states.js';

/** A merge: the card that is kept, and the one that goes. */
export interface MergedIds {
  readonly tenantId: string;
  readonly into: string;
  readonly from: string;
}

/**
 * Locks the students whose attempts a merge of this card, or undoing it, would move. Before the cards are locked, as
 * when attempts are recorded: in the other order both would wait for each other.
 */
export async function lockStudents(tx: Transaction, viewer: Viewer, from: string): Promise<void> {
  const { tenantId } = viewer;
  const { attempt, cardMergeAttempt } = tx.prisma;
  const owner = { distinct: 'ownerId', select: { ownerId: true } } as const;
  await actAsGateway(tx);
  const students = [
    ...(await attempt.findMany({ where: { tenantId, OR: [{ cardId: from }, { reviewOf: from }] }, ...owner })),
    ...(await cardMergeAttempt.findMany({ where: { tenantId, fromId: from }, ...owner })),
  ];
  await lockOwners(tx, tenantId, [...new Set(students.map(({ ownerId }) => ownerId))]);
  await actAs(tx, viewer);
}

/**
 * Makes the attempts at one card attempts at another one, records which those were, and derives the review states of
 * their students anew. Before the card is deleted, or its attempts go with it. Runs without row-level security: a
 * student who merges cards keeps the attempts of teachers at them too, which that student does not see. SQL: Prisma
 * would read the attempts and write them back.
 */
export async function moveAttempts(tx: Transaction, merged: MergedIds): Promise<void> {
  const { tenantId, into, from } = merged;
  const { attempt } = tx.prisma;
  const where = { tenantId, OR: [{ cardId: from }, { reviewOf: from }] };
  const students = await attempt.findMany({ where, distinct: ['ownerId'], select: { ownerId: true } });
  const owners = students.map(({ ownerId }) => ownerId);
  await lockOwners(tx, tenantId, owners);
  await tx.execute(Prisma.sql`
    INSERT INTO card_merge_attempt (tenant_id, from_id, owner_id, key, at_card, of_card)
    SELECT tenant_id, ${from}, owner_id, key, card_id = ${from}, coalesce(review_of = ${from}, false)
    FROM attempt WHERE tenant_id = ${tenantId} AND (card_id = ${from} OR review_of = ${from})`);
  await attempt.updateMany({ where: { tenantId, cardId: from }, data: { cardId: into } });
  await attempt.updateMany({ where: { tenantId, reviewOf: from }, data: { reviewOf: into } });
  const derived = owners.map((ownerId) => ({ ownerId, cardId: into }));
  await derive(tx, merged, derived);
}

/** Undoes {@link moveAttempts}, once the card is there again. Attempts that were made since stay with the other one. */
export async function returnAttempts(tx: Transaction, merged: MergedIds): Promise<void> {
  const { tenantId, into, from } = merged;
  const { attempt, card, cardMergeAttempt } = tx.prisma;
  const where = { tenantId, fromId: from };
  const students = await cardMergeAttempt.findMany({ where, distinct: ['ownerId'], select: { ownerId: true } });
  const owners = students.map(({ ownerId }) => ownerId);
  await lockOwners(tx, tenantId, owners);
  const wasAt = { tenantId, cardId: into, merges: { some: { ...where, atCard: true } } };
  await attempt.updateMany({ where: wasAt, data: { cardId: from } });
  const wasOf = { tenantId, reviewOf: into, merges: { some: { ...where, ofCard: true } } };
  await attempt.updateMany({ where: wasOf, data: { reviewOf: from } });
  const derived = owners.flatMap((ownerId) => [into, from].map((cardId) => ({ ownerId, cardId })));
  await derive(tx, merged, derived);
  const id = { tenantId, id: into };
  const { ownerId } = await card.findUniqueOrThrow({ where: { tenantId_id: id }, select: { ownerId: true } });
  await card.updateMany({ where: { ...id, reviews: { none: { ownerId } } }, data: { attemptedByOwner: false } });
}
