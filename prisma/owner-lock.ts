import type { Owner } from '../src/domain/duplicates.js';
import { Prisma } from './generated/client.js';
import type { Statements } from './statements.js';

/**
 * Until the transaction ends. Two that look for duplicates of one owner at once would each miss what the other adds, and two that
 * record attempts would each derive a review state without the other's.
 */
export async function lockOwner(tx: Statements, { tenantId, ownerId }: Owner): Promise<void> {
  const owner = JSON.stringify(['notebook', tenantId, ownerId]);
  await tx.query(Prisma.sql`SELECT 1 AS locked FROM pg_advisory_xact_lock(hashtextextended(${owner}, 0))`);
}
