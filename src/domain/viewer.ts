import type { OnDuplicate, Owner } from './duplicates.js';
import { ForbiddenError } from './errors.js';

/** Students see their own cards, teachers read all cards of their tenant, admins may do everything in their tenant. */
export const ROLES = ['student', 'teacher', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const SCOPES = ['read', 'write', 'metrics'] as const;
export type Scope = (typeof SCOPES)[number];

/** The authenticated user of a request. No card is read or written without one. */
export interface Viewer extends Owner {
  readonly role: Role;
}

/** Map key of an owner. */
export function ownerKey({ tenantId, ownerId }: Owner): string {
  return JSON.stringify([tenantId, ownerId]);
}

/** A viewer with the scopes of the credential. */
export interface Caller extends Viewer {
  readonly scopes: readonly Scope[];
}

export interface Creation {
  readonly action: 'create cards' | 'upload files';
  readonly onDuplicate?: OnDuplicate;
}

/**
 * On whose behalf something is created for `owner` (null: the viewer): as that student, whose rights suffice.
 * ForbiddenError, with the name of the action, for a student who names another one, and for a teacher where an existing
 * card of the student would be changed.
 */
export function creatorFor(viewer: Viewer, owner: string | null, { action, onDuplicate }: Creation): Viewer {
  if (owner === null || owner === viewer.ownerId) return viewer;
  if (viewer.role === 'student') throw new ForbiddenError(`only teachers and admins may ${action} for other owners`);
  if (viewer.role === 'teacher' && onDuplicate === 'MERGE') {
    throw new ForbiddenError('only admins may merge into cards of other owners: use onDuplicate KEEP or REJECT');
  }
  return { tenantId: viewer.tenantId, ownerId: owner, role: 'student' };
}

/** ForbiddenError for a student, for what belongs to the tenant or tells of others. */
export function refuseStudents({ role }: Viewer): void {
  if (role === 'student') throw new ForbiddenError('only teachers and admins may do this');
}

/** The viewer of a gateway without authentication: one tenant, one owner, everything allowed. */
export const DEFAULT_VIEWER: Viewer = { tenantId: 'default', ownerId: 'default', role: 'admin' };

/** The only owner whose cards the viewer may see; undefined if the viewer may see all of the tenant's. */
export function visibleOwner(viewer: Viewer): string | undefined {
  return viewer.role === 'student' ? viewer.ownerId : undefined;
}

/** The only owner whose cards the viewer may change; undefined if the viewer may change all of the tenant's. */
export function changeableOwner(viewer: Viewer): string | undefined {
  return viewer.role === 'admin' ? undefined : viewer.ownerId;
}
