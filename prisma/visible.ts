import { changeableOwner, type Viewer, visibleOwner } from '../src/domain/viewer.js';
import { Prisma } from './generated/client.js';

/**
 * The first wall: every statement on behalf of a viewer has one of these conditions. The policies of the tables, behind which it
 * runs, say the same once more.
 */

/** The condition on `card c` that the viewer may see the card. */
export function visible(viewer: Viewer): Prisma.Sql {
  return ownedBy(viewer, visibleOwner(viewer), Prisma.sql`c`);
}

/** The condition on `card c` that the viewer may change the card. */
export function changeable(viewer: Viewer): Prisma.Sql {
  return ownedBy(viewer, changeableOwner(viewer), Prisma.sql`c`);
}

/** The condition on `import_job j` that the viewer may see the import: as with cards. */
export function visibleImport(viewer: Viewer): Prisma.Sql {
  return ownedBy(viewer, visibleOwner(viewer), Prisma.sql`j`);
}

/** The condition on `import_job j` that the viewer may end the import: as with cards. */
export function changeableImport(viewer: Viewer): Prisma.Sql {
  return ownedBy(viewer, changeableOwner(viewer), Prisma.sql`j`);
}

/** The condition on `import_job j` that the import is the viewer's own. */
export function ownImport(viewer: Viewer): Prisma.Sql {
  return ownedBy(viewer, viewer.ownerId, Prisma.sql`j`);
}

/** The condition on a table, under the name that it has in the statement, that a row is of the viewer's tenant. */
export function ofTenant({ tenantId }: Viewer, table: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${table}.tenant_id = ${tenantId}`;
}

function ownedBy(viewer: Viewer, owner: string | undefined, table: Prisma.Sql): Prisma.Sql {
  const tenant = ofTenant(viewer, table);
  return owner === undefined ? tenant : Prisma.sql`${tenant} AND ${table}.owner_id = ${owner}`;
}
