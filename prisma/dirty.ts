import type { Statements } from './client.js';
import { Prisma } from './generated/client.js';

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
