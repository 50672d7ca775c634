import {
  defaultFieldResolver,
  type GraphQLFieldConfig,
  type GraphQLFieldResolver,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLUnionType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';

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
