import type { Card } from '../../src/domain/card.js';
import { Prisma } from '../generated/client.js';
import { lock, oneOf, type Queries, type Statements } from '../statements.js';
import { contentList } from './card-columns.js';

/** The labels of `card c`, in the client's order. */
export const LABEL_COLUMNS = Prisma.sql`
  ARRAY(SELECT t.name FROM card_topic_tag l JOIN topic_tag t ON t.tenant_id = l.tenant_id AND t.id = l.topic_tag_id
    WHERE l.tenant_id = c.tenant_id AND l.card_id = c.id ORDER BY l.position) AS "topicTags",
  ARRAY(SELECT t.name FROM card_error_type l JOIN error_type t ON t.tenant_id = l.tenant_id AND t.id = l.error_type_id
    WHERE l.tenant_id = c.tenant_id AND l.card_id = c.id ORDER BY l.position) AS "errorTypes"`;

/** The columns of `card c` under the names of {@link Card}, labels in the client's order. */
export const CARD_COLUMNS = Prisma.sql`
  c.tenant_id AS "tenantId", c.id, c.owner_id AS "ownerId", c.revision, c.created_at AS "createdAt",
  c.updated_at AS "updatedAt", ${contentList(({ field, column }) => `c.${column} AS "${field}"`)},
  ${LABEL_COLUMNS},
  (SELECT count(*)::int FROM card_occurrence o WHERE o.tenant_id = c.tenant_id AND o.card_id = c.id) AS occurrences`;

export interface CardSelection {
  /** Conditions on `card c`. */
  readonly where: readonly Prisma.Sql[];
  readonly orderBy?: Prisma.Sql;
  readonly limit: number;
  /** More columns, each after a comma. */
  readonly columns?: Prisma.Sql;
}

const BY_ID = Prisma.raw('c.id');

/** One statement, where Prisma sends six and takes nine times as long for ten cards. */
export function selectCards<Row extends Card = Card>(queries: Queries, selection: CardSelection): Promise<Row[]> {
  const { where, orderBy = BY_ID, limit, columns = Prisma.empty } = selection;
  return queries.query<Row>(Prisma.sql`
    SELECT ${CARD_COLUMNS}${columns} FROM card c WHERE ${Prisma.join([...where], ' AND ')} ORDER BY ${orderBy} LIMIT ${limit}`);
}

/** The cards with these ids of which the condition `allowed` on `card c` is true, by id. */
export function selectCardsById(queries: Queries, allowed: Prisma.Sql, ids: readonly string[]): Promise<Card[]> {
  return selectCards(queries, { where: [allowed, oneOf('c.id')(ids)], limit: ids.length });
}

/**
 * Locks cards until the transaction ends, in the order of their ids, so that two transactions cannot deadlock. Returns
 * the locked cards; row-level security prevents locking a card that the viewer may not change. This is a separate
 * statement, so that the next one sees what a concurrent transaction has committed in the meantime.
 */
export function lockCards(tx: Statements, allowed: Prisma.Sql, ids: readonly string[]): Promise<LockedCard[]> {
  return tx.query<LockedCard>(Prisma.sql`
    SELECT c.tenant_id AS "tenantId", c.id, c.owner_id AS "ownerId", c.revision
    FROM card c WHERE ${allowed} AND c.id = ANY(${ids}::text[]) ORDER BY c.id FOR UPDATE`);
}

export type LockedCard = Pick<Card, 'tenantId' | 'id' | 'ownerId' | 'revision'>;

/**
 * Until the transaction ends, in the order of the ids, so that two transactions cannot deadlock. Two concurrent
 * transactions that look for duplicates of one owner would miss each other's cards, and two that record attempts would
 * each derive a review state without the other's attempts.
 */
export async function lockOwners(tx: Statements, tenantId: string, ownerIds: readonly string[]): Promise<void> {
  const names = [...ownerIds].sort().map((ownerId) => JSON.stringify(['notebook', tenantId, ownerId]));
  await lock(tx, names);
}
