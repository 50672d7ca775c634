import type { OperationTypeNode } from 'graphql';
import { ForbiddenError } from '../src/domain/errors.js';
import type { Caller, Role, Scope } from '../src/domain/viewer.js';
import { requireScope } from '../src/http/guard.js';

/** Scope that each kind of operation requires. */
const SCOPES: Readonly<Record<`${OperationTypeNode}`, Scope>> = {
  query: 'read',
  mutation: 'write',
  subscription: 'read',
};

/**
 * The fields of the root that are refused before anything is asked, and for whom they are. Golden sets, profiles, evaluations and
 * the texts of others' searches refuse students themselves (`refuseStudents`); which cards one may see or change, the stores know.
 */
const RESERVED: ReadonlyMap<string, readonly Role[]> = new Map([
  ['rebuildIndex', ['admin']],
  ['apiKeys', ['admin']],
  ['createApiKey', ['admin']],
  ['revokeApiKey', ['admin']],
  ['renameLabel', ['teacher', 'admin']],
  ['mergeLabels', ['teacher', 'admin']],
  ['setLabel', ['teacher', 'admin']],
  // Of the searches of the whole tenant.
  ['searchMetrics', ['teacher', 'admin']],
]);

/** ForbiddenError if the caller may not use one of these fields. */
export function refuseForbidden(caller: Caller, kind: `${OperationTypeNode}`, rootFields: Iterable<string>): void {
  requireScope(caller, SCOPES[kind]);
  for (const field of rootFields) {
    const roles = RESERVED.get(field);
    if (roles !== undefined && !roles.includes(caller.role)) {
      throw new ForbiddenError(`${field} is for the role ${roles.join(' or ')}`);
    }
  }
}
