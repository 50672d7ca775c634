import type { Database } from './client.js';
import { Prisma } from './generated/client.js';

/**
 * After so many indexed cards of a tenant, and after four times as many each time, PostgreSQL gathers statistics of the
 * tables that indexing fills. Its own autovacuum looks once a minute. Until then it expects one row of a new school,
 * and joins its cards by nested loops, in time that grows with their square.
 */
const ANALYSED_AFTER = 250;

/** Gathering takes this share of the time at most, however many new schools there are. */
const MOST_SHARE = 0.05;

/** Has PostgreSQL gather statistics while a tenant's cards are indexed for the first time. */
export class TableStatistics {
  readonly #database: Database;
  /** By tenant: how many cards were indexed, and after how many statistics are due. */
  readonly #tenants = new Map<string, { indexed: number; dueAt: number }>();
  #isDue = false;
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(database: Database) {
    this.#database = database;
  }

  /** For each indexed card, its tenant. */
  async indexed(tenantIds: Iterable<string>): Promise<void> {
    for (const tenantId of tenantIds) this.#count(tenantId);
    const startedMs = performance.now();
    if (!this.#isDue || startedMs < this.#notBeforeMs) return;
    await this.#database.execute(Prisma.sql`ANALYZE card, card_index, index_dirty, index_change, index_generation`);
    this.#isDue = false;
    this.#notBeforeMs = performance.now() + (performance.now() - startedMs) / MOST_SHARE;
  }

  #count(tenantId: string): void {
    const tenant = this.#tenants.get(tenantId) ?? { indexed: 0, dueAt: ANALYSED_AFTER };
    this.#tenants.set(tenantId, tenant);
    tenant.indexed += 1;
    if (tenant.indexed < tenant.dueAt) return;
    tenant.dueAt = 4 * tenant.indexed;
    this.#isDue = true;
  }
}
