import { Prisma } from './generated/client.js';
import type { Statements } from './statements.js';

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

/** A label on a card and its place in the card's list: 1, 2, ... */
export interface Tie {
  readonly card_id: string;
  readonly name: string;
  readonly position: number;
}

/** Ties labels to one card that has none of this kind, in the order given: see {@link tieLabels}. */
export async function addLabels(
  statements: Statements,
  kind: LabelKind,
  card: { readonly tenantId: string; readonly id: string },
  names: readonly string[],
): Promise<void> {
  const ties = names.map((name, place) => ({ card_id: card.id, name, position: place + 1 }));
  await tieLabels(statements, kind, card.tenantId, [], ties);
}

/**
 * Ties labels to cards of a tenant, and makes those that it does not know yet. The cards `without` lose theirs of this kind first.
 *
 * Known labels are only read: writing them as well would make every create of a popular error type wait for the one before.
 * New ones are made in one order, so that two transactions that bring the same ones cannot block each other; where another
 * one made one first, the empty update gives back its id. It touches no key column: that would need a lock that waits for every
 * card that is being tied to the label.
 */
export async function tieLabels(
  statements: Statements,
  kind: LabelKind,
  tenantId: string,
  without: readonly string[],
  ties: readonly Tie[],
): Promise<void> {
  const { label, tie, labelId } = TABLES[kind];
  if (without.length > 0) {
    await statements.execute(Prisma.sql`
      DELETE FROM ${tie} WHERE tenant_id = ${tenantId} AND card_id = ANY(${without}::text[])`);
  }
  if (ties.length === 0) return;
  const names = [...new Set(ties.map(({ name }) => name))];
  await statements.execute(Prisma.sql`
    WITH known AS (
      SELECT id, name FROM ${label} WHERE tenant_id = ${tenantId} AND name = ANY(${names}::text[])
    ), made AS (
      INSERT INTO ${label} AS l (tenant_id, name)
      SELECT ${tenantId}, name FROM unnest(${names}::text[]) AS given (name)
      WHERE name NOT IN (SELECT name FROM known) ORDER BY name
      ON CONFLICT (tenant_id, name) DO UPDATE SET created_at = l.created_at
      RETURNING id, name
    )
    INSERT INTO ${tie} (tenant_id, card_id, ${labelId}, position)
    SELECT ${tenantId}, w.card_id, l.id, w.position
    FROM jsonb_to_recordset(${JSON.stringify(ties)}::jsonb) AS w (card_id text, name text, position int)
    JOIN (SELECT * FROM known UNION ALL SELECT * FROM made) l ON l.name = w.name`);
}

/** Takes a card's labels of one kind off; the labels themselves stay. */
export async function removeLabels(
  statements: Statements,
  kind: LabelKind,
  card: { readonly tenantId: string; readonly id: string },
): Promise<void> {
  await tieLabels(statements, kind, card.tenantId, [card.id], []);
}
