/** Who may be who: students see their own cards, teachers read all of their tenant's, admins may do everything in it. */
export const ROLES = ['student', 'teacher', 'admin'] as const;
/** One of {@link ROLES}. */
export type Role = (typeof ROLES)[number];

/** What a credential is good for: asking, changing, reading the figures of the gateway itself. */
export const SCOPES = ['read', 'write', 'metrics'] as const;
/** One of {@link SCOPES}. */
export type Scope = (typeof SCOPES)[number];

/** Who asks. Nothing reads or writes a card without one. */
export interface Viewer {
  readonly tenantId: string;
  readonly ownerId: string;
  readonly role: Role;
}

/** A viewer who has shown a credential, and what that is good for. */
export interface Caller extends Viewer {
  readonly scopes: readonly Scope[];
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
