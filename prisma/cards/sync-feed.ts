import { once } from '../../src/domain/async.js';
import type { Card } from '../../src/domain/card.js';
import type { PageRequest } from '../../src/domain/ports/cards.js';
import type { SyncChange, SyncFeed, SyncPage } from '../../src/domain/ports/sync.js';
import type { CardFilter } from '../../src/domain/search.js';
import type { Viewer } from '../../src/domain/viewer.js';
import type { Database } from '../client.js';
import { Prisma } from '../generated/client.js';
import { databaseIdentity, installationId } from '../installation.js';
import { only, type Queries } from '../statements.js';
import { visible } from '../viewer-conditions.js';
import { CARD_COLUMNS } from './card-rows.js';
import { matches } from './filters.js';
import { survivorOf } from './merged-cards.js';
import {
  type CursorOwner,
  cursorKey,
  decodeSyncCursor,
  encodeSyncCursor,
  expired,
  FIRST_POSITION,
  type Snapshot,
  type SyncPosition,
  sees,
  snapshotOf,
  startOf,
} from './sync-cursor.js';

interface ChangeRow extends Omit<Card, 'id' | 'revision'> {
  readonly snapshot: string;
  /** Null: the page is empty. */
  readonly changedCardId: string | null;
  readonly transaction: string;
  readonly changedRevision: number;
  readonly changedAt: Date;
  readonly mergedInto: string | null;
  readonly matches: boolean;
  readonly id: string | null;
  readonly revision: number;
}

interface PassPage {
  readonly snapshot: Snapshot;
  readonly changes: readonly { readonly transaction: bigint; readonly change: SyncChange }[];
}

/** The table card_change, which triggers fill. */
export class PostgresSyncFeed implements SyncFeed {
  readonly #key = once(() => keyOf(this.database));

  constructor(private readonly database: Database) {}

  /**
   * A restored database may have transaction numbers that this server has not reached; they are replaced by the current
   * one.
   */
  async adopt(): Promise<void> {
    await this.database.execute(Prisma.sql`
      UPDATE card_change SET transaction = pg_current_xact_id()::text::bigint
      WHERE transaction >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`);
  }

  async changes(
    viewer: Viewer,
    { first, after, filter = {} }: PageRequest & { readonly filter?: CardFilter },
    signal?: AbortSignal,
  ): Promise<SyncPage> {
    const owner = { viewer, key: await this.#key() };
    const position = after === null ? FIRST_POSITION : decodeSyncCursor(owner, after);
    const queries = this.database.as(viewer, signal);
    const asked = { viewer, filter, limit: first + 1 };
    const page = await selectPass(queries, position, asked);
    if (page.snapshot.next < (position.until ?? position.since).next) {
      throw expired('the database was restored, and is older than the cursor');
    }
    if (position.until === null || page.changes.length > 0) return pageOf(owner, position, page, first);
    const next = startOf(position.until);
    return pageOf(owner, next, await selectPass(queries, next, asked), first);
  }
}

/** Equal in all gateways of a database, and not in copies of it. Its UUID is known to none of their clients. */
export async function keyOf(database: Pick<Database, 'query' | 'run'>): Promise<Uint8Array> {
  return cursorKey(`${await installationId(database)} ${await databaseIdentity(database)}`);
}

/**
 * One statement, so that rows and cards are of the same snapshot. A deletion is omitted if the viewer sees a new card
 * of another owner with the same id, which has its own row.
 */
async function selectPass(
  queries: Queries,
  { since, until, last }: SyncPosition,
  { viewer, filter, limit }: { readonly viewer: Viewer; readonly filter: CardFilter; readonly limit: number },
): Promise<PassPage> {
  const oldest = since.running[0] ?? since.next;
  const rows = await queries.query<ChangeRow>(Prisma.sql`
    SELECT now.snapshot, h.card_id AS "changedCardId", h.transaction::text, h.revision AS "changedRevision",
      h.changed_at AS "changedAt", h."mergedInto", (${matches(viewer, filter)}) IS TRUE AS matches, ${CARD_COLUMNS}
    FROM (SELECT pg_current_snapshot()::text AS snapshot) now
    LEFT JOIN LATERAL (
      SELECT h.tenant_id, h.card_id, h.transaction, h.revision, h.changed_at,
        CASE WHEN h.deleted THEN ${survivorOf(viewer, Prisma.raw('h.card_id'))} END AS "mergedInto"
      FROM card_change h
      WHERE ${visible(viewer, 'h')}
        AND h.transaction >= ${text(oldest)}::bigint
        AND (h.transaction >= ${text(since.next)}::bigint OR h.transaction = ANY(${since.running.map(text)}::bigint[]))
        AND (${until === null} OR (h.transaction < ${text(until?.next ?? 0n)}::bigint
          AND h.transaction <> ALL(${(until?.running ?? []).map(text)}::bigint[])))
        AND (h.transaction, h.card_id) > (${text(last.transaction)}::bigint, ${last.cardId})
        AND NOT (h.deleted AND EXISTS (SELECT FROM card c WHERE ${visible(viewer)} AND c.id = h.card_id))
      ORDER BY h.transaction, h.card_id LIMIT ${limit}) h ON true
    LEFT JOIN card c ON c.tenant_id = h.tenant_id AND c.id = h.card_id AND ${visible(viewer)}
    ORDER BY h.transaction, h.card_id`);
  return { snapshot: snapshotOf(only(rows).snapshot), changes: rows.flatMap(changeOf) };
}

function changeOf(row: ChangeRow): { transaction: bigint; change: SyncChange }[] {
  const { snapshot: _, changedCardId, transaction, changedRevision, changedAt, mergedInto, matches, id, ...card } = row;
  if (changedCardId === null) return [];
  const change: SyncChange = {
    cardId: changedCardId,
    kind: id === null ? 'REMOVED' : matches ? 'SAVED' : 'UNMATCHED',
    card: id === null ? null : { id, ...card },
    revision: changedRevision,
    changedAt,
    mergedInto,
  };
  return [{ transaction: BigInt(transaction), change }];
}

/**
 * A new pass ends at this statement's snapshot. After the last page of an older pass, there may already be later
 * changes.
 */
function pageOf(owner: CursorOwner, position: SyncPosition, { snapshot, changes }: PassPage, first: number): SyncPage {
  const { since } = position;
  const until = position.until ?? snapshot;
  const seen = changes.filter(({ transaction }) => sees(until, transaction));
  const page = seen.slice(0, first);
  const isMore = seen.length > first;
  const edges = page.map(({ transaction, change }) => ({
    cursor: encodeSyncCursor(owner, { since, until, last: { transaction, cardId: change.cardId } }),
    node: change,
  }));
  const endCursor = (isMore && edges.at(-1)?.cursor) || encodeSyncCursor(owner, startOf(until));
  return { edges, hasNextPage: isMore || position.until !== null, endCursor };
}

function text(transaction: bigint): string {
  return transaction.toString();
}
