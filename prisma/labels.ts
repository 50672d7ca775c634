import type { Statements } from './client.js';
import { Prisma } from './generated/client.js';

/** A list of labels on a card. */
export type LabelKind = 'topicTags' | 'errorTypes';

/** Where the labels of a kind stand: their own table, the table that ties them to cards, and its column. */
const TABLES: Readonly<Record<LabelKind, { label: Prisma.Sql; tie: Prisma.Sql; labelId: Prisma.Sql }>> = {
  topicTags: { label: Prisma.raw('topic_tag'), tie: Prisma.raw('card_topic_tag'), labelId: Prisma.raw('topic_tag_id') },
  errorTypes: {
    label: Prisma.raw('error_type'),
    tie: Prisma.raw('card_error_type'),
    labelId: Prisma.raw('error_type_id'),
  },
};

/**
 * Ties labels to a card that has none of this kind, in the order given, and makes those that the tenant does not know yet.
 *
 * Known labels are only read: writing them as well would make every create of a popular error type wait for the one before.
 * New ones are made in one order, so that two cards that bring the same ones cannot block each other; where another
 * transaction made one first, the empty update gives back its id. It touches no key column: that would need a lock that
 * waits for every card that is being tied to the label.
 */
export async function addLabels(
  statements: Statements,
  kind: LabelKind,
  card: { readonly tenantId: string; readonly id: string },
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const { label, tie, labelId } = TABLES[kind];
  await statements.execute(Prisma.sql`
    WITH wanted AS (
      SELECT name, position FROM unnest(${names}::text[]) WITH ORDINALITY AS given (name, position)
    ), known AS (
      SELECT id, name FROM ${label} WHERE tenant_id = ${card.tenantId} AND name = ANY(${names}::text[])
    ), made AS (
      INSERT INTO ${label} AS l (tenant_id, name)
      SELECT ${card.tenantId}, name FROM wanted WHERE name NOT IN (SELECT name FROM known) ORDER BY name
      ON CONFLICT (tenant_id, name) DO UPDATE SET created_at = l.created_at
      RETURNING id, name
    )
    INSERT INTO ${tie} (tenant_id, card_id, ${labelId}, position)
    SELECT ${card.tenantId}, ${card.id}, l.id, w.position
    FROM wanted w JOIN (SELECT * FROM known UNION ALL SELECT * FROM made) l ON l.name = w.name`);
}

/** Takes a card's labels of one kind off; the labels themselves stay. */
export async function removeLabels(
  statements: Statements,
  kind: LabelKind,
  card: { readonly tenantId: string; readonly id: string },
): Promise<void> {
  const { tie } = TABLES[kind];
  await statements.execute(Prisma.sql`DELETE FROM ${tie} WHERE tenant_id = ${card.tenantId} AND card_id = ${card.id}`);
}
