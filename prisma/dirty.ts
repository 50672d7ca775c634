import { Prisma } from './generated/client.js';
import type { Statements } from './statements.js';

/** Tells this process at once that a card has become dirty; other processes see it when they next look. */
export class DirtySignal {
  readonly #listeners = new Set<() => void>();

  /** Calls `listener` after each {@link notify}, until the returned function is called. */
  listen(listener: () => void): () => void {
    // One entry a call, so that the same function may listen twice.
    const entry = (): void => listener();
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  /** To be called after the commit. A listener that throws is not the mutation's failure: it runs on its own. */
  notify(): void {
    for (const listener of this.#listeners) queueMicrotask(listener);
  }
}

/**
 * Says in the outbox that the card has changed, in the transaction that changes it. A claim on the row stands, and learns
 * from `seq` that something newer has come; an earlier failure is forgotten.
 */
export async function markDirty(
  statements: Statements,
  card: { readonly tenantId: string; readonly id: string },
): Promise<void> {
  await statements.execute(Prisma.sql`
    INSERT INTO index_dirty AS d (tenant_id, card_id) VALUES (${card.tenantId}, ${card.id})
    ON CONFLICT (tenant_id, card_id) DO UPDATE
    SET seq = d.seq + 1, bulk = false, attempts = 0, next_at = now(), error = NULL, dead = false`);
}

/**
 * Leaves the revision of a deleted card behind, in the transaction that deletes it, after {@link markDirty}: a new card with
 * its id begins after it, so that no gateway can take what it has of the old one for the new one's.
 */
export async function markDeleted(
  statements: Statements,
  card: { readonly tenantId: string; readonly id: string; readonly revision: number },
): Promise<void> {
  await statements.execute(Prisma.sql`
    INSERT INTO index_change AS h (tenant_id, card_id, deleted_revision)
    VALUES (${card.tenantId}, ${card.id}, ${card.revision})
    ON CONFLICT (tenant_id, card_id) DO UPDATE SET transaction = excluded.transaction, changed_at = excluded.changed_at,
      deleted_revision = greatest(h.deleted_revision, excluded.deleted_revision)`);
}

/** The revision of a new card: 1, or one more than any card with this id has had. `tenantId` and `id` are parts of SQL. */
export function firstRevision(tenantId: Prisma.Sql, id: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
    SELECT coalesce(max(had.revision), 0) + 1 FROM (
      SELECT i.revision FROM index_generation g CROSS JOIN LATERAL (
        SELECT revision FROM card_index
        WHERE tenant_id = g.tenant_id AND generation = g.number AND card_id = ${id} LIMIT 1) i
      WHERE g.tenant_id = ${tenantId}
      UNION ALL
      SELECT deleted_revision FROM index_change WHERE tenant_id = ${tenantId} AND card_id = ${id}) had)`;
}
