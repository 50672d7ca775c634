/** What a viewer may see: students their own cards, the others all of their tenant. */
export type Role = 'student' | 'teacher' | 'admin';

/** Who asks. Nothing reads or writes a card without one. */
export interface Viewer {
  readonly tenantId: string;
  readonly ownerId: string;
  readonly role: Role;
}

/** The viewer of a gateway that has no authentication: one tenant, one owner, everything allowed. */
export const DEFAULT_VIEWER: Viewer = { tenantId: 'default', ownerId: 'default', role: 'admin' };

/** The one owner whose cards the viewer may see, or undefined where the viewer may see all of the tenant's. */
export function visibleOwner(viewer: Viewer): string | undefined {
  return viewer.role === 'student' ? viewer.ownerId : undefined;
}

/** The one owner whose cards the viewer may change, or undefined where the viewer may change all of the tenant's. */
export function changeableOwner(viewer: Viewer): string | undefined {
  return viewer.role === 'admin' ? undefined : viewer.ownerId;
}
