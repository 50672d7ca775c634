import { Prisma } from './generated/client.js';
import type { Transaction } from './statements.js';

export type LabelKind = 'topicTags' | 'errorTypes';

/** The table of a kind's labels, the table that ties them to cards, and its column. */
export const LABEL_TABLES: Readonly<Record<LabelKind, { label: Prisma.Sql; tie: Prisma.Sql; labelId: Prisma.Sql }>> = {
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

export function tiesOf(cardId: string, names: readonly string[]): readonly Tie[] {
  return names.map((name, place) => ({ card_id: cardId, name, position: place + 1 }));
}

/**
 * Ties labels to cards of a tenant and creates unknown labels; the cards `without` lose theirs of this kind first. One
 * statement for any number of cards, where Prisma needs three for each kind.
 *
 * Known labels are only read: writing them as well would make every create of a popular error type wait for the one before.
 * New ones are created in one order, so that two transactions that bring the same ones cannot deadlock; where another one was
 * first, the empty update returns its id. It changes no key column: that would need a lock that waits for every card that is
 * being tied to the label.
 */
export async function tieLabels(
  tx: Transaction,
  kind: LabelKind,
  tenantId: string,
  ties: readonly Tie[],
  without: readonly string[] = [],
): Promise<void> {
  const { label, tie, labelId } = LABEL_TABLES[kind];
  if (without.length > 0) {
    const where = { tenantId, cardId: { in: [...without] } };
    if (kind === 'topicTags') await tx.prisma.cardTopicTag.deleteMany({ where });
    else await tx.prisma.cardErrorType.deleteMany({ where });
  }
  if (ties.length === 0) return;
  const names = [...new Set(ties.map(({ name }) => name))];
  await tx.execute(Prisma.sql`
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
