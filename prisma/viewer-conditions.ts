import type { Owner } from '../src/domain/duplicates.js';
import { changeableOwner, type Viewer, visibleOwner } from '../src/domain/viewer.js';
import { Prisma } from './generated/client.js';
import { compare } from './statements.js';

/**
 * Every statement on behalf of a viewer has one of these conditions. The policies of the tables (row-level security)
 * repeat them, so that neither a forgotten condition nor a missing policy shows one viewer's rows to another.
 */

/** A condition for Prisma's typed operations. */
export interface Scope {
  readonly tenantId: string;
  readonly ownerId?: string;
}

export function tenantOf({ tenantId }: Pick<Viewer, 'tenantId'>): Scope {
  return { tenantId };
}

export function ownedBy({ tenantId, ownerId }: Owner): Scope {
  return { tenantId, ownerId };
}

/** Cards and imports. */
export function visibleTo(viewer: Viewer): Scope {
  return scope(viewer, visibleOwner(viewer));
}

export function changeableBy(viewer: Viewer): Scope {
  return scope(viewer, changeableOwner(viewer));
}

function scope({ tenantId }: Viewer, ownerId: string | undefined): Scope {
  return ownerId === undefined ? { tenantId } : { tenantId, ownerId };
}

/** The viewer may see the card: on `card c`, or on another table with cards. */
export function visible(viewer: Viewer, table = 'c'): Prisma.Sql {
  return inSql(table, visibleTo(viewer));
}

/** The viewer may change the card: on `card c`. */
export function changeable(viewer: Viewer): Prisma.Sql {
  return inSql('c', changeableBy(viewer));
}

/** The row is the viewer's own: on the table with this name or alias. */
export function owned(viewer: Viewer, table: string): Prisma.Sql {
  return inSql(table, ownedBy(viewer));
}

/** The row is of the viewer's tenant: on the table with this name or alias. */
export function ofTenant(viewer: Pick<Viewer, 'tenantId'>, table: string): Prisma.Sql {
  return inSql(table, tenantOf(viewer));
}

function inSql(name: string, { tenantId, ownerId }: Scope): Prisma.Sql {
  const tenant = compare(`${name}.tenant_id =`)(tenantId);
  return ownerId === undefined ? tenant : Prisma.join([tenant, compare(`${name}.owner_id =`)(ownerId)], ' AND ');
}
