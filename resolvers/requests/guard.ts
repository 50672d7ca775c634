import { type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import { GraphQLError, type OperationTypeNode } from 'graphql';
import type { MiddlewareFn } from 'type-graphql';
import { ErrataError, ForbiddenError, RateLimitedError } from '../../src/domain/errors.js';
import { SEARCH_OPERATIONS } from '../../src/domain/search.js';
import { type Caller, type Role, refuseStudents, type Scope, type Viewer } from '../../src/domain/viewer.js';
import { statusOf } from '../../src/http/errors.js';
import { requireScope } from '../../src/http/guard.js';
import type { Context } from '../context.js';
import { type CostedOperation, refuseCostly } from './complexity.js';
import { rootFieldsOf } from './document-size.js';
import type { RateLimits } from './rate-limits.js';
import { refuseUnusedKey } from './request-key.js';

/** For fields, or all fields of a resolver, that show or change data of other owners or of the tenant. */
export const forStaff: MiddlewareFn<Context> = async ({ context }, next) => {
  refuseStudents(context.viewer);
  return next();
};

const SEARCHING = [...SEARCH_OPERATIONS, 'tutoringContext', 'tutor'] as const;

const SCOPES: Readonly<Record<`${OperationTypeNode}`, Scope>> = {
  query: 'read',
  mutation: 'write',
  subscription: 'read',
};

/** Root fields reserved for roles. Those for teachers and admins use `forStaff`; stores check cards. */
const RESERVED: ReadonlyMap<string, readonly Role[]> = new Map([
  ['rebuildIndex', ['admin']],
  ['apiKeys', ['admin']],
  ['createApiKey', ['admin']],
  ['revokeApiKey', ['admin']],
  ['eraseStudent', ['admin']],
  ['renameLabel', ['teacher', 'admin']],
  ['mergeLabels', ['teacher', 'admin']],
  ['setLabel', ['teacher', 'admin']],
  // Of the searches of the whole tenant.
  ['searchMetrics', ['teacher', 'admin']],
]);

export interface GuardParts {
  /** Rate limits of callers; null: none. */
  readonly rates: RateLimits | null;
  /** RateLimitedError if a new search of the viewer would wait too long. */
  readonly refuseOverload: (viewer: Viewer) => void;
}

/**
 * Refuses an operation as a whole before its execution: missing rights, too high complexity, rate limit, overload of
 * search.
 */
export function operationGuard(parts: GuardParts): ApolloServerPlugin<Context> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ schema, document, operation, request, contextValue: { viewer, requestKey } }) {
          // Execution selects the operation again, and reports if there is none.
          if (operation === undefined) return;
          const rootFields = rootFieldsOf(document, operation);
          answeringStatus(() => {
            const variables = request.variables ?? {};
            refuseUnusedKey(requestKey, operation.operation, rootFields.keys());
            refuseOperation(parts, { schema, document, operation, variables }, viewer, rootFields);
          });
        },
      };
    },
  };
}

/** Throws if the operation must not be executed, or not now. The document must be valid. */
export function refuseOperation(
  { rates, refuseOverload }: GuardParts,
  asked: CostedOperation,
  viewer: Caller,
  rootFields: ReadonlyMap<string, number>,
): void {
  refuseForbidden(viewer, asked.operation.operation, rootFields.keys());
  refuseCostly(asked);
  if (SEARCHING.some((name) => rootFields.has(name))) refuseOverload(viewer);
  rates?.count(viewer, rootFields);
}

/** Sets the HTTP status of an error's code: nothing of the operation was executed. */
function answeringStatus(refuse: () => void): void {
  try {
    refuse();
  } catch (thrown) {
    if (!(thrown instanceof ErrataError)) throw thrown;
    const wait = thrown instanceof RateLimitedError ? Math.ceil(thrown.retryAfterMs / 1_000) : null;
    const headers = new HeaderMap(wait === null ? [] : [['retry-after', String(wait)]]);
    const http = { status: statusOf(thrown), headers };
    throw new GraphQLError(thrown.message, { originalError: thrown, extensions: { http } });
  }
}

/** ForbiddenError if the caller may not use one of these fields. */
function refuseForbidden(caller: Caller, kind: `${OperationTypeNode}`, rootFields: Iterable<string>): void {
  requireScope(caller, SCOPES[kind]);
  for (const field of rootFields) {
    const roles = RESERVED.get(field);
    if (roles !== undefined && !roles.includes(caller.role)) {
      throw new ForbiddenError(`${field} requires the role ${roles.join(' or ')}`);
    }
  }
}
