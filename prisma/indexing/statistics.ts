import { asError } from '../../src/domain/errors.js';
import type { Log } from '../../src/domain/ports/log.js';
import { Prisma } from '../generated/client.js';
import type { Statements } from '../statements.js';

/**
 * After so many indexed cards of a tenant, and after four times as many each time, PostgreSQL gathers statistics of the
 * tables that indexing fills. Its own autovacuum looks once a minute. Until then it expects one row of a new school,
 * and joins its cards by nested loops, in time that grows with their square.
 */
const ANALYSED_AFTER = 250;

/** Gathering takes this share of the time at most, however many new schools there are. */
const MAX_SHARE = 0.05;

/** Minimum wait after a failure, in ms: another session may have locked a table. */
const RETRY_MS = 60_000;

/** Has PostgreSQL gather statistics while a tenant's cards are indexed for the first time. */
export class TableStatistics {
  /** By tenant: how many cards were indexed, and after how many statistics are due. */
  readonly #tenants = new Map<string, { indexed: number; dueAt: number }>();
  #isDue = false;
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  #running: Promise<void> | undefined;

  constructor(
    private readonly database: Pick<Statements, 'execute'>,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  /** For each indexed card, its tenant. Nobody waits for statistics, and a failure is logged. */
  indexed(tenantIds: Iterable<string>): void {
    for (const tenantId of tenantIds) this.#count(tenantId);
    if (!this.#isDue || this.#running !== undefined || performance.now() < this.#notBeforeMs) return;
    this.#running = this.#gather().finally(() => {
      this.#running = undefined;
    });
  }

  /** Waits for what is being gathered. */
  async close(): Promise<void> {
    await this.#running;
  }

  async #gather(): Promise<void> {
    const startedMs = performance.now();
    let leastMs = 0;
    this.#isDue = false;
    try {
      await this.database.execute(Prisma.sql`ANALYZE card, card_index, index_dirty, index_change, index_generation`);
    } catch (thrown) {
      this.#isDue = true;
      leastMs = RETRY_MS;
      this.log.warn({ err: asError(thrown) }, 'statistics of tables could not be gathered; it will be retried');
    }
    this.#notBeforeMs = performance.now() + Math.max(leastMs, (performance.now() - startedMs) / MAX_SHARE);
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
