import { Prisma } from '../generated/client.js';
import type { Statements } from '../statements.js';
import { DOUBT } from './dirty.js';

/** Whether a dirty card is missing from the generation. Ends at the first one, where {@link markMissing} reads all. */
export async function isWaiting(tx: Statements, tenantId: string, number: number): Promise<boolean> {
  const [row] = await tx.query<{ waiting: boolean }>(Prisma.sql`
    SELECT EXISTS (
      SELECT FROM index_dirty d JOIN card c ON c.tenant_id = d.tenant_id AND c.id = d.card_id
      WHERE d.tenant_id = ${tenantId} AND NOT d.dead AND NOT EXISTS (
        SELECT FROM card_index i WHERE i.tenant_id = c.tenant_id AND i.generation = ${number} AND i.card_id = c.id)
    ) AS waiting`);
  return row?.waiting === true;
}

/** Marks up to `atOnce` missing cards as dirty that are not, in one statement over three tables. */
export async function markMissing(
  tx: Statements,
  tenantId: string,
  number: number,
  atOnce: number,
): Promise<{ readonly isComplete: boolean; readonly marked: boolean }> {
  const [row] = await tx.query<{ isComplete: boolean; marked: boolean }>(Prisma.sql`
    WITH missing AS MATERIALIZED (
      SELECT c.tenant_id, c.id, d.card_id IS NULL AS clean
      FROM card c LEFT JOIN index_dirty d ON d.tenant_id = c.tenant_id AND d.card_id = c.id
      WHERE c.tenant_id = ${tenantId} AND d.dead IS NOT TRUE AND NOT EXISTS (
        SELECT FROM card_index i WHERE i.tenant_id = c.tenant_id AND i.generation = ${number} AND i.card_id = c.id)
    ), marked AS (
      INSERT INTO index_dirty (tenant_id, card_id, bulk, holder)
      SELECT tenant_id, id, true, ${DOUBT} FROM missing WHERE clean ORDER BY id LIMIT ${atOnce}
      ON CONFLICT DO NOTHING RETURNING 1
    )
    SELECT NOT EXISTS (SELECT FROM missing) AS "isComplete", EXISTS (SELECT FROM marked) AS marked`);
  if (row === undefined) throw new Error('comparing the cards returned no row');
  return row;
}
