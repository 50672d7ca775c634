import type { Card } from '../src/domain/card.js';
import { Prisma } from './generated/client.js';
import type { Queries } from './statements.js';

/** The columns of `card c` under the names of {@link Card}, labels in the client's order: a row is a Card. */
const CARD_COLUMNS = Prisma.sql`
  c.tenant_id AS "tenantId", c.id, c.owner_id AS "ownerId", c.subject, c.grade, c.difficulty,
  c.question_text AS "questionText", c.student_solution_text AS "studentSolutionText",
  c.gold_solution_brief AS "goldSolutionBrief", c.quality_grade AS "qualityGrade", c.source, c.notes,
  c.occurred_at AS "occurredAt", c.revision, c.created_at AS "createdAt", c.updated_at AS "updatedAt",
  ARRAY(SELECT t.name FROM card_topic_tag l JOIN topic_tag t ON t.tenant_id = l.tenant_id AND t.id = l.topic_tag_id
    WHERE l.tenant_id = c.tenant_id AND l.card_id = c.id ORDER BY l.position) AS "topicTags",
  ARRAY(SELECT t.name FROM card_error_type l JOIN error_type t ON t.tenant_id = l.tenant_id AND t.id = l.error_type_id
    WHERE l.tenant_id = c.tenant_id AND l.card_id = c.id ORDER BY l.position) AS "errorTypes",
  (SELECT count(*)::int FROM card_occurrence o WHERE o.tenant_id = c.tenant_id AND o.card_id = c.id) AS occurrences`;

/** The cards that a condition on `card c` names, labels and all, in one statement. `rest` is what follows WHERE. */
export function selectCards(queries: Queries, rest: Prisma.Sql): Promise<Card[]> {
  return queries.query<Card>(Prisma.sql`SELECT ${CARD_COLUMNS} FROM card c WHERE ${rest}`);
}

/** A card with its question's prints; the key is null where they were never computed. */
export interface PrintedCard {
  readonly card: Card;
  readonly key: string | null;
  readonly bands: readonly number[];
}

/** As {@link selectCards}, with prints. */
export async function selectPrintedCards(queries: Queries, rest: Prisma.Sql): Promise<readonly PrintedCard[]> {
  const rows = await queries.query<Card & { questionKey: string | null; questionBands: number[] }>(Prisma.sql`
    SELECT ${CARD_COLUMNS}, c.question_key AS "questionKey", c.question_bands AS "questionBands"
    FROM card c WHERE ${rest}`);
  return rows.map(({ questionKey: key, questionBands: bands, ...card }) => ({ card, key, bands }));
}
