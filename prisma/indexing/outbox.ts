import type { Backlog, ClaimChoice, DirtyCard, IndexedClaim, Outbox } from '../../src/domain/ports/outbox.js';
import type { Database } from '../client.js';
import { Prisma } from '../generated/client.js';
import { only, storable, type Transaction } from '../statements.js';
import { type DirtySignal, DOUBT } from './dirty.js';
import { INDEX_CHANNEL, notifyIndex } from './index-changes.js';
import type { TableStatistics } from './statistics.js';

/** Of a row without a claim. */
const FREE = { lease: null, token: null } as const;

/**
 * The table index_dirty: one row for each card that has changed since it was last indexed. A claim is a lease with a
 * fencing token: a claim whose token is no longer on the row has been replaced and can neither complete, fail nor
 * release it.
 */
export class PostgresOutbox implements Outbox {
  constructor(
    private readonly database: Database,
    private readonly dirty: DirtySignal,
    private readonly holder: string,
    private readonly statistics: Pick<TableStatistics, 'indexed'>,
  ) {}

  /**
   * A single statement: no transaction stays open while cards are indexed. next_at is rounded to milliseconds, perhaps
   * upwards: without the extra millisecond, a fresh change would sometimes wait for the next poll. Both orders read the
   * same index.
   */
  async claim(
    limit: number,
    leaseMs: number,
    { except = [], lastFirst = false }: ClaimChoice = {},
  ): Promise<readonly DirtyCard[]> {
    const order = Prisma.raw(lastFirst ? 'priority DESC, next_at DESC' : 'priority, next_at');
    return this.database.query<DirtyCard>(Prisma.sql`
      WITH due AS MATERIALIZED (
        SELECT tenant_id, card_id, holder FROM index_dirty
        WHERE NOT dead AND next_at <= now() + interval '1 millisecond' AND (lease IS NULL OR lease < now())
          AND tenant_id <> ALL (${except}::text[])
        ORDER BY ${order} FOR UPDATE SKIP LOCKED LIMIT ${limit}
      )
      UPDATE index_dirty d
      SET lease = now() + ${leaseMs}::float8 * interval '1 millisecond', token = gen_random_uuid(),
        holder = ${this.holder}, attempts = d.attempts + 1
      FROM due WHERE d.tenant_id = due.tenant_id AND d.card_id = due.card_id
      RETURNING d.tenant_id AS "tenantId", d.card_id AS "cardId", d.seq, d.token::text, d.priority,
        d.attempts, due.holder IS NULL AS "ledgerIsRight"`);
  }

  /** Skips rows that are being completed or changed: the latter are prolonged the next time. */
  async prolong(claims: readonly DirtyCard[], leaseMs: number): Promise<void> {
    if (claims.length === 0) return;
    await this.database.execute(Prisma.sql`
      WITH claimed AS MATERIALIZED (${claimRows(claims)}), held AS MATERIALIZED (
        SELECT tenant_id, card_id FROM index_dirty d JOIN claimed USING (tenant_id, card_id, token)
        FOR UPDATE OF d SKIP LOCKED
      )
      UPDATE index_dirty d SET lease = now() + ${leaseMs}::float8 * interval '1 millisecond'
      FROM held WHERE d.tenant_id = held.tenant_id AND d.card_id = held.card_id`);
  }

  async nextDueMs(except: readonly string[] = []): Promise<number> {
    const { dueMs } = await this.#state(except);
    return dueMs ?? Number.POSITIVE_INFINITY;
  }

  /**
   * One statement. `held` locks the rows whose claim still stands; the outcomes of those are recorded, in the
   * generations that are not dropped. A held row is deleted if its seq is the claimed one, else freed. A claim that is
   * not held has been replaced: what it wrote to the index may be older than what its successor wrote, so the card
   * becomes dirty once more. Change consumers are notified; PostgreSQL sends equal notifications of a transaction once.
   */
  async done(results: readonly IndexedClaim[]): Promise<void> {
    if (results.length === 0) return;
    const outcomes = results.flatMap(({ claim, outcomes }) =>
      outcomes.map(({ generation, indexed }) => ({
        tenant_id: claim.tenantId,
        card_id: claim.cardId,
        generation,
        revision: indexed?.revision ?? null,
        indexed_at: indexed?.indexedAt ?? null,
        ...indexed?.passages,
      })),
    );
    const rows = await this.database.query<{ redirtied: number }>(Prisma.sql`
      WITH claimed AS MATERIALIZED (${claimRows(results.map(({ claim }) => claim))}), held AS MATERIALIZED (
        SELECT d.tenant_id, d.card_id, d.seq = claimed.seq AS current
        FROM index_dirty d JOIN claimed USING (tenant_id, card_id, token)
        ORDER BY d.tenant_id, d.card_id FOR UPDATE OF d
      ), outcome AS MATERIALIZED (
        SELECT o.* FROM jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb) AS o (
          tenant_id text, card_id text, generation int, revision int, indexed_at timestamptz,
          question text[], solution text[], concept text[], error text[])
        JOIN held USING (tenant_id, card_id)
      ), generation AS MATERIALIZED (
        SELECT g.tenant_id, g.number FROM index_generation g
        WHERE (g.tenant_id, g.number) IN (SELECT tenant_id, generation FROM outcome) AND g.state <> 'DROPPED' FOR KEY SHARE
      ), recorded AS (
        INSERT INTO card_index (tenant_id, generation, card_id, revision, indexed_at,
          question_hashes, solution_hashes, concept_hashes, error_hashes)
        SELECT o.tenant_id, o.generation, o.card_id, o.revision, o.indexed_at, o.question, o.solution, o.concept, o.error
        FROM outcome o JOIN generation g ON g.tenant_id = o.tenant_id AND g.number = o.generation
        WHERE o.revision IS NOT NULL
        ON CONFLICT (tenant_id, generation, card_id) DO UPDATE SET
          revision = excluded.revision, indexed_at = excluded.indexed_at, question_hashes = excluded.question_hashes,
          solution_hashes = excluded.solution_hashes, concept_hashes = excluded.concept_hashes,
          error_hashes = excluded.error_hashes
      ), forgotten AS (
        DELETE FROM card_index i USING outcome o
        WHERE o.revision IS NULL
          AND i.tenant_id = o.tenant_id AND i.generation = o.generation AND i.card_id = o.card_id
      ), removed AS (
        DELETE FROM index_dirty d USING held
        WHERE held.current AND d.tenant_id = held.tenant_id AND d.card_id = held.card_id
      ), freed AS (
        UPDATE index_dirty d SET lease = NULL, token = NULL FROM held
        WHERE NOT held.current AND d.tenant_id = held.tenant_id AND d.card_id = held.card_id
        RETURNING 1
      ), redirtied AS (
        INSERT INTO index_dirty AS d (tenant_id, card_id, holder)
        SELECT tenant_id, card_id, ${DOUBT} FROM claimed WHERE (tenant_id, card_id) NOT IN (SELECT tenant_id, card_id FROM held)
        ON CONFLICT (tenant_id, card_id) DO UPDATE
        SET seq = d.seq + 1, next_at = now(), dead = false, holder = coalesce(d.holder, excluded.holder)
        RETURNING 1
      ), changed AS (
        INSERT INTO index_change AS h (tenant_id, card_id) SELECT tenant_id, card_id FROM held
        ON CONFLICT (tenant_id, card_id) DO UPDATE
        SET transaction = excluded.transaction, changed_at = excluded.changed_at
      )
      SELECT (SELECT count(pg_notify(${INDEX_CHANNEL}, current_schema())) FROM held) AS notified,
        ((SELECT count(*) FROM redirtied) + (SELECT count(*) FROM freed))::int AS redirtied`);
    if (only(rows).redirtied > 0) this.dirty.notify();
    this.statistics.indexed(results.map(({ claim }) => claim.tenantId));
  }

  /** Notifies other gateways, because this one may be stopping. */
  async release(claims: readonly DirtyCard[]): Promise<void> {
    if (claims.length === 0) return;
    const valuesOf = (key: 'tenantId' | 'cardId' | 'token') => ({ in: claims.map((claim) => claim[key]) });
    // The token identifies the row; tenant and card id are given so that the primary key is used.
    const claimed = { tenantId: valuesOf('tenantId'), cardId: valuesOf('cardId'), token: valuesOf('token') };
    await this.database.transaction(async (tx) => {
      if ((await free(tx, claimed)) > 0) await notifyIndex(tx);
    });
  }

  async releaseOf(holders: readonly string[] | 'everyone'): Promise<void> {
    const claimed = { lease: { not: null }, ...(holders !== 'everyone' && { holder: { in: [...holders] } }) };
    await this.database.transaction((tx) => free(tx, claimed));
  }

  /** If the card has changed since the claim, the failure does not count, and the row is only released. */
  async fail({ tenantId, cardId, token, seq }: DirtyCard, error: string, retryAfterMs: number | null): Promise<void> {
    const claimed = { tenantId, cardId, token };
    const now = await this.database.now();
    const nextAt = new Date(now.getTime() + (retryAfterMs ?? 0));
    const failed = { error: storable(error), dead: retryAfterMs === null, nextAt };
    await this.database.run(async ({ indexDirty }) => {
      const { count } = await indexDirty.updateMany({ where: { ...claimed, seq }, data: { ...FREE, ...failed } });
      if (count === 0) await indexDirty.updateMany({ where: claimed, data: { ...FREE, dead: false } });
    });
    if (retryAfterMs === null) await notifyIndex(this.database);
  }

  onDirty(listener: () => void): () => void {
    return this.dirty.add(listener);
  }

  /** By the database's clock. */
  async backlog(): Promise<Backlog> {
    const { dueMs: _, ...backlog } = await this.#state([]);
    return backlog;
  }

  async #state(except: readonly string[]): Promise<Backlog & { readonly dueMs: number | null }> {
    const rows = await this.database.query<Backlog & { dueMs: number | null }>(Prisma.sql`
      SELECT count(*) FILTER (WHERE NOT dead)::int AS waiting, count(*) FILTER (WHERE dead)::int AS failed,
        greatest(0, coalesce(extract(epoch FROM now() - min(next_at) FILTER (WHERE NOT dead)), 0) * 1000)::float8 AS "lagMs",
        ceil(extract(epoch FROM min(greatest(next_at, lease)) FILTER (WHERE NOT dead) - now()) * 1000)::float8 AS "dueMs"
      FROM index_dirty WHERE tenant_id <> ALL (${except}::text[])`);
    return only(rows);
  }
}

/** Frees these rows, whose claims do not count as attempts; returns how many. */
async function free({ prisma: { indexDirty } }: Transaction, claimed: Prisma.IndexDirtyWhereInput): Promise<number> {
  const data = { ...FREE, attempts: { decrement: 1 } };
  const counted = await indexDirty.updateMany({ where: { ...claimed, attempts: { gt: 0 } }, data });
  const others = await indexDirty.updateMany({ where: claimed, data: FREE });
  return counted.count + others.count;
}

/** The claims as rows (tenant_id, card_id, seq, token), with four array parameters. */
function claimRows(claims: readonly DirtyCard[]): Prisma.Sql {
  return Prisma.sql`SELECT * FROM unnest(
    ${claims.map((claim) => claim.tenantId)}::text[], ${claims.map((claim) => claim.cardId)}::text[],
    ${claims.map((claim) => String(claim.seq))}::bigint[], ${claims.map((claim) => claim.token)}::uuid[]
  ) AS claimed (tenant_id, card_id, seq, token)`;
}
