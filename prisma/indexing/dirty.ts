import { Listeners } from '../../src/domain/async.js';
import type { CardContent } from '../../src/domain/card.js';
import { PRIORITY, type Priority } from '../../src/domain/ports/outbox.js';
import { insertOccurrence } from '../cards/occurrences.js';
import { Prisma } from '../generated/client.js';
import { only, type Statements, type Transaction } from '../statements.js';

/** Notifies this process that a card has become dirty; other processes are notified otherwise, or poll. */
export class DirtySignal extends Listeners {
  /** To be called after the commit. Listeners run later: one that throws does not fail the mutation. */
  override notify(): void {
    queueMicrotask(() => super.notify());
  }
}

/**
 * In place of the holder of a claim, in a row that nobody has claimed: the collections may have something of the card
 * that the ledger does not list.
 */
export const DOUBT = 'doubt';

export interface CardKey {
  readonly tenantId: string;
  readonly id: string;
}

/**
 * As {@link markCards}, for a card that was just inserted with revision 1; also inserts its first occurrence in the
 * same round trip. Returns the first revision, which is above 1 if deleted cards had the same id. To be called after
 * the insert, so that it sees a deletion that the insert waited for.
 */
export async function markNew(tx: Transaction, card: CardContent & CardKey): Promise<number> {
  const { tenantId, id } = card;
  // The card was just inserted: its table need not be read.
  const created = Prisma.sql`(SELECT ${tenantId}::text AS tenant_id, ${id}::text AS id) AS created`;
  const rows = await tx.query<{ revision: number }>(Prisma.sql`
    WITH occurrence AS (${insertOccurrence(card)})
    ${allDirtied(created, PRIORITY.change)} RETURNING ${firstRevision(tenantId, id)} AS revision`);
  const { revision } = only(rows);
  if (revision > 1) await tx.prisma.card.updateMany({ where: { tenantId, id }, data: { revision } });
  return revision;
}

/**
 * As {@link markCards}, for cards of a tenant that were deleted in this transaction. Also records their revisions: a
 * new card with the same id starts after it, so that no gateway mistakes data of the old card for the new one's.
 */
export async function markDeleted(
  statements: Statements,
  tenantId: string,
  cards: readonly (Pick<CardKey, 'id'> & { readonly revision: number })[],
): Promise<void> {
  const ids = cards.map(({ id }) => id);
  const revisions = cards.map(({ revision }) => revision);
  const deleted = Prisma.sql`(SELECT ${tenantId}::text AS tenant_id, id, revision
    FROM unnest(${ids}::text[], ${revisions}::int[]) AS given (id, revision)) AS deleted`;
  await statements.execute(Prisma.sql`
    WITH dirty AS (${allDirtied(deleted, PRIORITY.change)})
    INSERT INTO index_change AS h (tenant_id, card_id, deleted_revision)
    SELECT tenant_id, id, revision FROM ${deleted} ORDER BY id
    ON CONFLICT (tenant_id, card_id) DO UPDATE SET transaction = excluded.transaction, changed_at = excluded.changed_at,
      deleted_revision = greatest(h.deleted_revision, excluded.deleted_revision)`);
}

/** Cards that one statement marks: 100,000 take 1-2 s, and a statement is cancelled after 30 s. */
export const MARKED_AT_ONCE = 100_000;

/** The outbox rows of cards; one that is there keeps its claim, and its priority if that comes first. */
function allDirtied(cards: Prisma.Sql, priority: Priority): Prisma.Sql {
  return Prisma.sql`INSERT INTO index_dirty AS d (tenant_id, card_id, priority)
    SELECT tenant_id, id, ${priority} FROM ${cards} ORDER BY id
    ON CONFLICT (tenant_id, card_id) DO UPDATE
    SET seq = d.seq + 1, priority = least(d.priority, excluded.priority), attempts = 0, next_at = now(), error = NULL,
      dead = false`;
}

function theCards(tenantId: string, ids: readonly string[]): Prisma.Sql {
  return Prisma.sql`card WHERE tenant_id = ${tenantId} AND id = ANY(${ids}::text[])`;
}

/**
 * Adds these cards of a tenant to the outbox, in the transaction that changes them, and in the same order in all
 * transactions. A running claim is kept, and detects the newer change by `seq`; an earlier failure is cleared. Rows of
 * bulk work are claimed after all single changes, and before those of a rebuild.
 */
export async function markCards(
  statements: Statements,
  tenantId: string,
  ids: readonly string[],
  { bulk }: { readonly bulk: boolean },
): Promise<void> {
  await statements.execute(allDirtied(theCards(tenantId, ids), bulk ? PRIORITY.bulk : PRIORITY.change));
}

/**
 * As {@link markCards}, for up to `atOnce` cards of a tenant after this id, for a rebuild. Returns the last id; null if
 * there are no further cards.
 */
export async function markSlice(
  statements: Statements,
  tenantId: string,
  after: string,
  atOnce: number,
): Promise<string | null> {
  const rows = await statements.query<{ last: string | null }>(Prisma.sql`
    WITH slice AS MATERIALIZED (
      SELECT tenant_id, id FROM card WHERE tenant_id = ${tenantId} AND id > ${after} ORDER BY id LIMIT ${atOnce}
    ), marked AS (${allDirtied(Prisma.sql`slice`, PRIORITY.rebuild)})
    SELECT CASE WHEN count(*) = ${atOnce} THEN max(id) END AS last FROM slice`);
  return only(rows).last;
}

/**
 * Marks given-up cards after this id again, deleted ones too: a generation would otherwise become live without them.
 * They are few, so that one statement suffices. `now` by the database's clock.
 */
export async function retryDead({ prisma }: Transaction, tenantId: string, after: string, now: Date): Promise<void> {
  await prisma.indexDirty.updateMany({
    where: { tenantId, cardId: { gt: after }, dead: true },
    data: { seq: { increment: 1 }, attempts: 0, nextAt: now, error: null, dead: false },
  });
}

/**
 * Whether the generation has all cards except those given up. If a card in the outbox is still missing, the cards are
 * not scanned and nothing is marked; otherwise up to `atOnce` missing cards are marked.
 */
export async function markMissing(
  tx: Statements,
  tenantId: string,
  number: number,
  atOnce: number,
): Promise<{ readonly isComplete: boolean; readonly marked: boolean }> {
  const lacking = Prisma.sql`NOT EXISTS (
    SELECT FROM card_index i WHERE i.tenant_id = c.tenant_id AND i.generation = ${number} AND i.card_id = c.id)`;
  const rows = await tx.query<{ isComplete: boolean; marked: boolean }>(Prisma.sql`
    WITH waiting AS MATERIALIZED (
      SELECT EXISTS (SELECT FROM index_dirty d JOIN card c ON c.tenant_id = d.tenant_id AND c.id = d.card_id
        WHERE d.tenant_id = ${tenantId} AND NOT d.dead AND ${lacking}) AS found
    ), missing AS MATERIALIZED (
      SELECT c.tenant_id, c.id, d.card_id IS NULL AS clean
      FROM card c LEFT JOIN index_dirty d ON d.tenant_id = c.tenant_id AND d.card_id = c.id
      WHERE NOT (SELECT found FROM waiting) AND c.tenant_id = ${tenantId} AND d.dead IS NOT TRUE AND ${lacking}
    ), marked AS (
      INSERT INTO index_dirty (tenant_id, card_id, priority, holder)
      SELECT tenant_id, id, ${PRIORITY.rebuild}, ${DOUBT} FROM missing WHERE clean ORDER BY id LIMIT ${atOnce}
      ON CONFLICT DO NOTHING RETURNING 1
    )
    SELECT NOT waiting.found AND NOT EXISTS (SELECT FROM missing) AS "isComplete", EXISTS (SELECT FROM marked) AS marked
    FROM waiting`);
  return only(rows);
}

/**
 * The first revision of a card: 1, or one more than any earlier card with the same id had. `id` may be an SQL
 * expression.
 */
export function firstRevision(tenantId: string, id: string | Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
    SELECT coalesce(max(had.revision), 0) + 1 FROM (
      SELECT i.revision FROM index_generation g CROSS JOIN LATERAL (
        SELECT revision FROM card_index
        WHERE tenant_id = g.tenant_id AND generation = g.number AND card_id = ${id} LIMIT 1) i
      WHERE g.tenant_id = ${tenantId}
      UNION ALL
      SELECT deleted_revision FROM index_change WHERE tenant_id = ${tenantId} AND card_id = ${id}) had)`;
}
