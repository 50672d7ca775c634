import { defaultFieldResolver, type GraphQLSchema, isNonNullType, isObjectType } from 'graphql';

/** Makes an explicit null mean that an argument is not given: its default counts, where graphql-js passes the null on. */
export function defaultNullArguments(schema: GraphQLSchema): void {
  const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) ? Object.values(type.getFields()) : [],
  );
  for (const field of fields) {
    const defaults = field.args.filter(({ type, defaultValue }) => defaultValue !== undefined && !isNonNullType(type));
    if (defaults.length === 0) continue;
    const { resolve = defaultFieldResolver } = field;
    field.resolve = (source, given, context, info) => {
      const args = { ...given };
      for (const { name, defaultValue } of defaults) args[name] ??= defaultValue;
      return resolve(source, args, context, info);
    };
  }
}
