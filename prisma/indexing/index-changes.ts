import type { ChangedCard, ChangesPosition, ChangesSeen, IndexChanges } from '../../src/domain/ports/changes.js';
import { databaseAddress } from '../address.js';
import type { Database } from '../client.js';
import { translated } from '../errors.js';
import { Prisma } from '../generated/client.js';
import { holdConnection } from '../hold-connection.js';
import { only, type Statements } from '../statements.js';

/**
 * The payload is the schema whose outbox or index has changed: installations in the same database share the channel.
 */
export const INDEX_CHANNEL = 'errata_index';

/** Tells every gateway that the index has changed; in a transaction, once it commits. */
export async function notifyIndex(statements: Pick<Statements, 'query'>): Promise<void> {
  await statements.query(Prisma.sql`SELECT 1 AS notified FROM pg_notify(${INDEX_CHANNEL}, current_schema())`);
}

/** No transaction has this number. */
const NO_TRANSACTION = 2n ** 63n - 1n;

interface SeenRow extends Omit<ChangedCard, 'tenantId' | 'version'> {
  readonly oldest: bigint;
  readonly atMs: number;
  readonly tenantId: string | null;
  readonly revision: number | null;
  readonly updatedAtMs: number;
}

/** The table index_change, and notifications of its changes. */
export class PostgresIndexChanges implements IndexChanges {
  /** `url`: of the database, because listening needs a connection outside the pool. */
  constructor(
    private readonly database: Database,
    private readonly url: string,
  ) {}

  /**
   * One statement, and so one snapshot. The position that it returns is the oldest running transaction: all earlier
   * ones have ended, so their changes are in this answer or were in an earlier one, and whatever commits later has that
   * number or a higher one. Times, or numbers in the order of commits, would miss transactions that began early and
   * committed late.
   *
   * Numbers that this server has not reached come from the server whose backup was restored. They would be read again
   * by every poll until this server reaches them; and a gateway that finds a restored database compares all cards
   * anyway.
   */
  async since(position: ChangesPosition): Promise<ChangesSeen> {
    const rows = await this.database.query<SeenRow>(Prisma.sql`
      SELECT now.oldest, now."atMs", h.tenant_id AS "tenantId", h.card_id AS "cardId", h.transaction, c.revision,
        (extract(epoch FROM c.updated_at) * 1000)::float8 AS "updatedAtMs", g.number AS generation,
        i.revision AS "indexedRevision"
      FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest,
          pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next,
          (extract(epoch FROM now()) * 1000)::float8 AS "atMs") now
      LEFT JOIN index_change h ON h.transaction >= ${String(position.transaction)}::bigint AND h.transaction < now.next
      LEFT JOIN card c ON c.tenant_id = h.tenant_id AND c.id = h.card_id
      LEFT JOIN index_generation g ON g.tenant_id = h.tenant_id AND g.state = 'LIVE'
      LEFT JOIN card_index i ON i.tenant_id = g.tenant_id AND i.generation = g.number AND i.card_id = h.card_id`);
    // One even if there are no changes.
    const { oldest: transaction, atMs } = only(rows);
    return { position: { transaction, atMs }, cards: rows.flatMap(changedCard) };
  }

  async position(): Promise<ChangesPosition> {
    const { position } = await this.since({ transaction: NO_TRANSACTION, atMs: 0 });
    return position;
  }

  /** Keeps the rows of deleted cards, because their revisions are needed. */
  async forget(olderThanMs: number): Promise<void> {
    const changedAt = { lt: new Date((await this.database.now()).getTime() - olderThanMs) };
    await this.database.run(({ indexChange }) => indexChange.deleteMany({ where: { changedAt, deletedRevision: 0 } }));
  }

  notify(): Promise<void> {
    return notifyIndex(this.database);
  }

  async listen(onChange: () => void, signal: AbortSignal): Promise<void> {
    const { schema } = databaseAddress(this.url);
    try {
      await holdConnection(this.url, signal, async (client) => {
        client.on('notification', ({ payload }) => {
          if (payload === schema) onChange();
        });
        await client.query(`LISTEN ${INDEX_CHANNEL}`);
        // For changes before LISTEN.
        onChange();
      });
    } catch (thrown) {
      throw translated(thrown);
    }
  }
}

function changedCard({ tenantId, revision, updatedAtMs, ...row }: SeenRow): ChangedCard[] {
  if (tenantId === null) return [];
  const { cardId, transaction, generation, indexedRevision } = row;
  const version = revision === null ? null : { revision, updatedAtMs };
  return [{ tenantId, cardId, transaction, version, generation, indexedRevision }];
}
