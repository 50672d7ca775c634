import { type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { ErrataError, RateLimitedError } from '../src/domain/errors.js';
import { SEARCH_OPERATIONS } from '../src/domain/search.js';
import { statusOf } from '../src/http/errors.js';
import { refuseForbidden } from './access.js';
import { refuseCostly } from './complexity.js';
import type { Context } from './context.js';
import type { RateLimits } from './rate-limits.js';
import { refuseUnusedKey } from './request-key.js';
import { rootFieldsOf } from './root-fields.js';

/** What says no to an operation that could be answered at another time. */
export interface GuardParts {
  /** How often a caller may ask; null: as often as it likes. */
  readonly rates: RateLimits | null;
  /** RateLimitedError where a search that came now would wait too long. */
  readonly refuseOverload: () => void;
}

/**
 * Turns an operation down as a whole before any of it is executed: what the caller may not ask, what is too much for one
 * operation, what is asked too often, a search where too many wait already.
 */
export function operationGuard({ rates, refuseOverload }: GuardParts): ApolloServerPlugin<Context> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ schema, document, operation, request, contextValue: { viewer, requestKey } }) {
          // Which of its operations a document means, execution asks again, and says so where there is none.
          if (operation === undefined) return;
          const rootFields = rootFieldsOf(document, operation);
          answeringStatus(() => {
            refuseForbidden(viewer, operation.operation, rootFields.keys());
            refuseUnusedKey(requestKey, operation.operation, rootFields.keys());
            refuseCostly({ schema, document, operation, variables: request.variables ?? {} });
            if (SEARCH_OPERATIONS.some((name) => rootFields.has(name))) refuseOverload();
            rates?.count(viewer, rootFields);
          });
        },
      };
    },
  };
}

/** Gives an error of ours the HTTP status that goes with its code: nothing of the operation was done. */
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
