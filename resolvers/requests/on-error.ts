import { type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  defaultFieldResolver,
  execute,
  type GraphQLFieldConfig,
  type GraphQLFieldResolver,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLUnionType,
  getVariableValues,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
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
 * {@link nullableCopy} that is made when it is first asked for.
 */
export function onErrorNull(
  schema: GraphQLSchema,
  nullable: () => GraphQLSchema,
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
            schema: nullable(),
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

type AnyField = GraphQLFieldConfig<unknown, unknown>;

/**
 * A copy of a schema in which every output may be null, so that an error makes null of nothing but its own place. For
 * execution: operations are validated against the original.
 */
export function nullableCopy(schema: GraphQLSchema): GraphQLSchema {
  const copies = new Map<string, GraphQLNamedType>();
  const copyOf = (type: GraphQLNamedType): GraphQLNamedType => {
    const copy = copies.get(type.name) ?? newCopy(type);
    copies.set(type.name, copy);
    return copy;
  };
  const newCopy = (type: GraphQLNamedType): GraphQLNamedType => {
    if (isUnionType(type)) {
      return new GraphQLUnionType({
        ...type.toConfig(),
        types: () => type.getTypes().map((one) => copyOf(one) as GraphQLObjectType),
      });
    }
    if (!isObjectType(type)) return type;
    const config = type.toConfig();
    return new GraphQLObjectType({
      ...config,
      fields: () => Object.fromEntries(Object.entries(config.fields).map(([name, field]) => [name, fieldOf(field)])),
    });
  };
  const nullable = (type: GraphQLOutputType): GraphQLOutputType => {
    if (isNonNullType(type)) return nullable(type.ofType);
    return isListType(type) ? new GraphQLList(nullable(type.ofType)) : (copyOf(type) as GraphQLOutputType);
  };
  const fieldOf = (field: AnyField): AnyField => ({
    ...field,
    type: nullable(field.type),
    resolve: isNonNullType(field.type) ? refusingNull(field.resolve) : field.resolve,
  });
  const rootOf = (type: GraphQLObjectType | null | undefined) => (type == null ? type : (copyOf(type) as typeof type));
  const config = schema.toConfig();
  return new GraphQLSchema({
    ...config,
    query: rootOf(config.query),
    mutation: rootOf(config.mutation),
    subscription: rootOf(config.subscription),
    types: config.types.filter((type) => !isIntrospectionType(type)).map(copyOf),
  });
}

/** A missing value of a non-null type of the original schema stays an error. */
function refusingNull(
  resolve: GraphQLFieldResolver<unknown, unknown> = defaultFieldResolver,
): GraphQLFieldResolver<unknown, unknown> {
  return (source, args, context, info) => {
    const checked = (value: unknown): unknown => {
      if (value != null) return value;
      throw new Error(`Cannot return null for non-nullable field ${info.parentType.name}.${info.fieldName}.`);
    };
    const value = resolve(source, args, context, info);
    return value instanceof Promise ? value.then(checked) : checked(value);
  };
}
