import type { Card } from '../src/domain/card.js';
import { Prisma } from './generated/client.js';
import type { Queries, Statements } from './statements.js';

/** The labels of `card c`, in the client's order. */
export const LABEL_COLUMNS = Prisma.sql`
  ARRAY(SELECT t.name FROM card_topic_tag l JOIN topic_tag t ON t.tenant_id = l.tenant_id AND t.id = l.topic_tag_id
    WHERE l.tenant_id = c.tenant_id AND l.card_id = c.id ORDER BY l.position) AS "topicTags",
  ARRAY(SELECT t.name FROM card_error_type l JOIN error_type t ON t.tenant_id = l.tenant_id AND t.id = l.error_type_id
    WHERE l.tenant_id = c.tenant_id AND l.card_id = c.id ORDER BY l.position) AS "errorTypes"`;

/** The columns of `card c` under the names of {@link Card}, labels in the client's order. */
export const CARD_COLUMNS = Prisma.sql`
  c.tenant_id AS "tenantId", c.id, c.owner_id AS "ownerId", c.subject, c.grade, c.difficulty,
  c.question_text AS "questionText", c.student_solution_text AS "studentSolutionText",
  c.gold_solution_brief AS "goldSolutionBrief", c.quality_grade AS "qualityGrade", c.source, c.notes, c.metadata,
  c.occurred_at AS "occurredAt", c.revision, c.created_at AS "createdAt", c.updated_at AS "updatedAt",
  ${LABEL_COLUMNS},
  (SELECT count(*)::int FROM card_occurrence o WHERE o.tenant_id = c.tenant_id AND o.card_id = c.id) AS occurrences`;

/**
 * The cards that a condition on `card c` chooses, with their labels; `rest` is what follows WHERE. One statement, where Prisma
 * makes six and takes nine times as long for ten cards.
 */
export function selectCards(queries: Queries, rest: Prisma.Sql): Promise<Card[]> {
  return queries.query<Card>(Prisma.sql`SELECT ${CARD_COLUMNS} FROM card c WHERE ${rest}`);
}

/** Those of the cards that the condition on `card c` allows, in the order of their ids. */
export function selectCardsById(queries: Queries, allowed: Prisma.Sql, ids: readonly string[]): Promise<Card[]> {
  return selectCards(queries, Prisma.sql`${allowed} AND c.id = ANY(${ids}::text[]) ORDER BY c.id`);
}

/**
 * As {@link selectCardsById}, of those that a generation holds, with their indexed revision. The LIMIT keeps this a look-up by
 * primary key for each card: while cards are being imported PostgreSQL has no statistics of them, and joined the two tables in
 * 170 ms instead of 2.
 */
export async function selectIndexedCards(
  queries: Queries,
  {
    allowed,
    tenantId,
    generation,
  }: { readonly allowed: Prisma.Sql; readonly tenantId: string; readonly generation: number },
  ids: readonly string[],
): Promise<readonly { readonly card: Card; readonly indexedRevision: number }[]> {
  const rows = await queries.query<Card & { indexedRevision: number }>(Prisma.sql`
    SELECT ${CARD_COLUMNS}, i.revision AS "indexedRevision"
    FROM card c CROSS JOIN LATERAL (
      SELECT revision FROM card_index
      WHERE tenant_id = ${tenantId} AND generation = ${generation} AND card_id = c.id LIMIT 1) i
    WHERE ${allowed} AND c.id = ANY(${ids}::text[])`);
  return rows.map(({ indexedRevision, ...card }) => ({ card, indexedRevision }));
}

/** A card with the stored fingerprints of its question; the key is null where they were never computed. */
export interface FingerprintedCard {
  readonly card: Card;
  readonly key: string | null;
  readonly bands: readonly number[];
}

/** As {@link selectCardsById}, with fingerprints. */
export async function selectFingerprintedCards(
  queries: Queries,
  allowed: Prisma.Sql,
  ids: readonly string[],
): Promise<readonly FingerprintedCard[]> {
  const rows = await queries.query<Card & { questionKey: string | null; questionBands: number[] }>(Prisma.sql`
    SELECT ${CARD_COLUMNS}, c.question_key AS "questionKey", c.question_bands AS "questionBands"
    FROM card c WHERE ${allowed} AND c.id = ANY(${ids}::text[]) ORDER BY c.id`);
  return rows.map(({ questionKey: key, questionBands: bands, ...card }) => ({ card, key, bands }));
}

/**
 * Locks cards until the transaction ends, in the order of their ids, so that two transactions cannot deadlock, and returns those
 * that it has locked as they are then: the policies let nobody lock a card that they may not change. A statement of its own, so
 * that the next one sees what a change that was waited for has committed.
 */
export function lockCards(tx: Statements, allowed: Prisma.Sql, ids: readonly string[]): Promise<LockedCard[]> {
  return tx.query<LockedCard>(Prisma.sql`
    SELECT c.tenant_id AS "tenantId", c.id, c.owner_id AS "ownerId", c.revision
    FROM card c WHERE ${allowed} AND c.id = ANY(${ids}::text[]) ORDER BY c.id FOR UPDATE`);
}

export type LockedCard = Pick<Card, 'tenantId' | 'id' | 'ownerId' | 'revision'>;
