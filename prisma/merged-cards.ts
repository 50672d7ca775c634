import type { Viewer } from '../src/domain/viewer.js';
import { Prisma } from './generated/client.js';
import type { Queries } from './statements.js';
import { visible } from './viewer-conditions.js';

/** The visible card into which the card with an id was merged; of several the last. `id` is an SQL expression. */
export function survivorOf(viewer: Viewer, id: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
    SELECT o.card_id FROM card_occurrence o JOIN card c ON c.tenant_id = o.tenant_id AND c.id = o.card_id
    WHERE ${visible(viewer)} AND o.tenant_id = ${viewer.tenantId} AND o.merged_id = ${id}
    ORDER BY o.created_at DESC, o.card_id LIMIT 1)`;
}

/** The ids of those cards, by merged id. */
export async function selectSurvivors(
  queries: Queries,
  viewer: Viewer,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await queries.query<{ merged: string; survivor: string | null }>(Prisma.sql`
    SELECT m.id AS merged, ${survivorOf(viewer, Prisma.raw('m.id'))} AS survivor
    FROM unnest(${ids}::text[]) AS m (id)`);
  return new Map(rows.flatMap(({ merged, survivor }) => (survivor === null ? [] : [[merged, survivor]])));
}
