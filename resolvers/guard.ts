import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { ErrataError } from '../src/errors.js';
import { statusOf } from '../src/http-errors.js';
import { refuseForbidden } from './access.js';
import type { Context } from './context.js';
import { rootFieldsOf } from './root-fields.js';

/** Turns an operation down as a whole before any of it is executed: for what the caller may not ask. */
export function operationGuard(): ApolloServerPlugin<Context> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ document, operation, contextValue }) {
          // Which of its operations a document means, execution asks again, and says so where there is none.
          if (operation === undefined) return;
          const rootFields = rootFieldsOf(document, operation);
          answeringStatus(() => refuseForbidden(contextValue.viewer, operation.operation, rootFields.keys()));
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
    const http = { status: statusOf(thrown) };
    throw new GraphQLError(thrown.message, { originalError: thrown, extensions: { http } });
  }
}
