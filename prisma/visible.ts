import { type Viewer, visibleOwner } from '../src/domain/viewer.js';
import { Prisma } from './generated/client.js';

/**
 * The condition on `card c` that the viewer may see the card. Every statement on behalf of a viewer has it; the policies of
 * the tables say the same once more.
 */
export function visible(viewer: Viewer): Prisma.Sql {
  const tenant = Prisma.sql`c.tenant_id = ${viewer.tenantId}`;
  const owner = visibleOwner(viewer);
  return owner === undefined ? tenant : Prisma.sql`${tenant} AND c.owner_id = ${owner}`;
}
