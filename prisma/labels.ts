import { Prisma } from './generated/client.js';
import type { Transaction } from './statements.js';

export type LabelKind = 'topicTags' | 'errorTypes';

/** For each kind, the table of its labels (`label`), the join table with cards (`tie`), and that one's column of the label. */
export const LABEL_TABLES: Readonly<Record<LabelKind, { label: Prisma.Sql; tie: Prisma.Sql; labelId: Prisma.Sql }>> = {
  topicTags: { label: Prisma.raw('topic_tag'), tie: Prisma.raw('card_topic_tag'), labelId: Prisma.raw('topic_tag_id') },
  errorTypes: {
    label: Prisma.raw('error_type'),
    tie: Prisma.raw('card_error_type'),
    labelId: Prisma.raw('error_type_id'),
  },
};

export const LABEL_KINDS = Object.keys(LABEL_TABLES) as LabelKind[];

/** Labels of a card, in the client's order. A kind that is missing is left as it is. */
export interface CardLabels extends Partial<Readonly<Record<LabelKind, readonly string[] | undefined>>> {
  readonly id: string;
}

/** Removes the labels of one kind from cards. */
export async function removeLabels(
  { prisma }: Transaction,
  kind: LabelKind,
  tenantId: string,
  cardIds: readonly string[],
): Promise<void> {
  const where = { tenantId, cardId: { in: [...cardIds] } };
  if (kind === 'topicTags') await prisma.cardTopicTag.deleteMany({ where });
  else await prisma.cardErrorType.deleteMany({ where });
}

/**
 * Adds labels to cards of a tenant that have none of these kinds, and creates unknown labels. One statement for any number of
 * cards, where Prisma needs three for each kind.
 */
export async function addLabels(tx: Transaction, tenantId: string, cards: readonly CardLabels[]): Promise<void> {
  const steps = LABEL_KINDS.flatMap((kind) => {
    const rows = cards.flatMap(({ id, [kind]: names }) =>
      (names ?? []).map((name, place) => ({ card_id: id, name, position: place + 1 })),
    );
    return rows.length === 0 ? [] : [additions(kind, tenantId, rows)];
  });
  if (steps.length > 0) await tx.execute(Prisma.sql`WITH ${Prisma.join(steps)} SELECT`);
}

/**
 * Known labels are only read: writing them as well would make every create of a popular error type wait for the one before.
 * New ones are created in one order, so that two transactions that bring the same ones cannot deadlock; where another one was
 * first, the empty update returns its id. It changes no key column: that would need a lock that waits for every card that the
 * label is being added to.
 */
function additions(
  kind: LabelKind,
  tenantId: string,
  rows: readonly { readonly card_id: string; readonly name: string; readonly position: number }[],
): Prisma.Sql {
  const { label, tie, labelId } = LABEL_TABLES[kind];
  const known = Prisma.raw(`known_${kind}`);
  const created = Prisma.raw(`created_${kind}`);
  const added = Prisma.raw(`added_${kind}`);
  const names = [...new Set(rows.map(({ name }) => name))];
  return Prisma.sql`${known} AS (
      SELECT id, name FROM ${label} WHERE tenant_id = ${tenantId} AND name = ANY(${names}::text[])
    ), ${created} AS (
      INSERT INTO ${label} AS l (tenant_id, name)
      SELECT ${tenantId}, name FROM unnest(${names}::text[]) AS given (name)
      WHERE name NOT IN (SELECT name FROM ${known}) ORDER BY name
      ON CONFLICT (tenant_id, name) DO UPDATE SET created_at = l.created_at
      RETURNING id, name
    ), ${added} AS (
      INSERT INTO ${tie} (tenant_id, card_id, ${labelId}, position)
      SELECT ${tenantId}, w.card_id, l.id, w.position
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS w (card_id text, name text, position int)
      JOIN (SELECT * FROM ${known} UNION ALL SELECT * FROM ${created}) l ON l.name = w.name)`;
}
