import { type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import { execute, type GraphQLSchema, getVariableValues } from 'graphql';
import { RefusedRequest } from '../../src/http/errors.js';
import type { Context } from '../context.js';
import type { ErrorFormatter } from '../errors.js';
import { rootFieldsOf } from './document-size.js';

/** RefusedRequest for a request parameter `onError` that is neither NULL nor PROPAGATE. */
export function refuseUnknownOnError(body: unknown): void {
  const onError = onErrorOf(body);
  if (onError == null || onError === 'NULL' || onError === 'PROPAGATE') return;
  throw new RefusedRequest(400, 'BAD_REQUEST', 'onError must be "NULL" or "PROPAGATE"');
}

export function isOnErrorNull(body: unknown): boolean {
  return onErrorOf(body) === 'NULL';
}

function onErrorOf(body: unknown): unknown {
  return (body as { readonly onError?: unknown } | null | undefined)?.onError;
}

/**
 * The request parameter `onError: "NULL"` (graphql-spec, pull request 1163): an error makes null of its own place
 * alone, also if the type is not nullable. graphql-js 16 knows no such mode, hence the execution by `nullable`, a
 * {@link nullableCopy}.
 */
export function onErrorNull(
  schema: GraphQLSchema,
  nullable: GraphQLSchema,
  formatError: ErrorFormatter,
): ApolloServerPlugin<Context> {
  return {
    async requestDidStart() {
      return {
        async responseForOperation({ request, document, operation, contextValue }) {
          if (!isOnErrorNull(request.http?.body)) return null;
          // Introspection reports the types of the original; wrong variables are an error of the request in either
          // mode.
          const rootFields = rootFieldsOf(document, operation);
          const introspects = rootFields.has('__schema') || rootFields.has('__type');
          const variables = getVariableValues(schema, operation.variableDefinitions ?? [], request.variables ?? {});
          if (introspects || variables.errors !== undefined) return null;
          const { data, errors } = await execute({
            schema: nullable,
            document,
            contextValue,
            variableValues: request.variables,
            operationName: request.operationName,
          });
          const told = errors?.map((error) => formatError(error.toJSON(), error));
          return {
            body: { kind: 'single', singleResult: { ...(told && { errors: told }), data: data ?? null } },
            http: { headers: new HeaderMap() },
          };
        },
      };
    },
  };
}
