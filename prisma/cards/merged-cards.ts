import type { Viewer } from '../../src/domain/viewer.js';
import { Prisma } from '../generated/client.js';
import type { Transaction } from '../statements.js';
import { visible, visibleTo } from '../viewer-conditions.js';

/** The visible card into which the card with an id was merged; of several the last. `id` is an SQL expression. */
export function survivorOf(viewer: Viewer, id: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
    SELECT o.card_id FROM card_occurrence o JOIN card c ON c.tenant_id = o.tenant_id AND c.id = o.card_id
    WHERE ${visible(viewer)} AND o.tenant_id = ${viewer.tenantId} AND o.merged_id = ${id}
    ORDER BY o.created_at DESC, o.card_id LIMIT 1)`;
}

/**
 * The ids of the cards into which cards with these ids were merged, unless there is a card with the id: a query. The
 * OFFSET makes PostgreSQL test that first, so that ids of cards cost no look-up of occurrences.
 */
export function survivorsOf(viewer: Viewer, ids: readonly string[]): Prisma.Sql {
  return Prisma.sql`
    SELECT s.card_id FROM (
      SELECT given.id FROM unnest(${ids}::text[]) AS given (id)
      WHERE NOT EXISTS (SELECT FROM card c WHERE ${visible(viewer)} AND c.id = given.id) OFFSET 0) absent
    CROSS JOIN LATERAL ${survivorOf(viewer, Prisma.raw('absent.id'))} s`;
}

/** The ids of those cards, by merged id. */
export async function findSurvivors(
  { prisma }: Pick<Transaction, 'prisma'>,
  viewer: Viewer,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await prisma.cardOccurrence.findMany({
    where: { tenantId: viewer.tenantId, mergedId: { in: [...ids] }, card: visibleTo(viewer) },
    select: { mergedId: true, cardId: true },
    orderBy: [{ createdAt: 'asc' }, { cardId: 'desc' }],
  });
  // The last of several stays in the map.
  return new Map(rows.map(({ mergedId, cardId }) => [String(mergedId), cardId]));
}
