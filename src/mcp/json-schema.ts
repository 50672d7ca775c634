import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLEnumType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  typeFromAST,
  valueFromASTUntyped,
} from 'graphql';

/** A JSON Schema (draft 2020-12), as far as GraphQL types need it. */
export type JsonSchema = { readonly [key: string]: unknown };

type ObjectSchema = JsonSchema & { readonly type: 'object' };

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
};

/** What the description of an input field says if null clears it. Elsewhere null means "not given", or is refused. */
const NULL_CLEARS = /\bNull (clears|or an empty list removes)\b/;

/**
 * The variables of an operation and its answer. The document must be valid, with one operation whose root has one
 * field.
 */
export function schemasOf(
  schema: GraphQLSchema,
  document: DocumentNode,
): { readonly input: ObjectSchema; readonly output: ObjectSchema } {
  const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const { operation: kind, selectionSet, variableDefinitions = [] } = operation as OperationDefinitionNode;
  const type = schema.getRootType(kind);
  if (type == null) throw new Error(`the schema has no ${kind}`);
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  );
  const [root] = selectionSet.selections;
  if (root?.kind !== Kind.FIELD) throw new Error('the operation of a tool has no field at its root');
  const { args } = type.getFields()[root.name.value] ?? { args: [] };
  const descriptionOf = (variable: string): string | undefined => {
    const passed = root.arguments?.find(({ value }) => value.kind === Kind.VARIABLE && value.name.value === variable);
    return args.find(({ name }) => name === passed?.name.value)?.description ?? undefined;
  };
  const properties = variableDefinitions.map(({ variable, type: of, defaultValue }) => {
    const name = variable.name.value;
    const input = typeFromAST(schema, of as never) as unknown as GraphQLInputType;
    const given = defaultValue === undefined ? {} : { default: valueFromASTUntyped(defaultValue) };
    const description = descriptionOf(name);
    return [name, { ...inputSchema(input), ...given, ...(description !== undefined && { description }) }] as const;
  });
  const required = variableDefinitions.flatMap(({ variable, type: of }) =>
    of.kind === Kind.NON_NULL_TYPE ? [variable.name.value] : [],
  );
  return { input: objectOf(properties, required), output: answerSchema(type, selectionSet, fragments) };
}

function inputSchema(type: GraphQLInputType): JsonSchema {
  if (isNonNullType(type)) return inputSchema(type.ofType);
  if (isListType(type)) return { type: 'array', items: inputSchema(type.ofType) };
  if (isEnumType(type)) return enumSchema(type);
  if (!isInputObjectType(type)) return scalar(type.name);
  const fields = Object.values(type.getFields()).filter(({ deprecationReason }) => deprecationReason == null);
  return objectOf(
    fields.map(({ name, type: of, description }) => [
      name,
      {
        ...(NULL_CLEARS.test(description ?? '') ? orNull(inputSchema(of)) : inputSchema(of)),
        ...(description && { description }),
      },
    ]),
    fields.flatMap(({ name, type: of }) => (isNonNullType(of) ? [name] : [])),
  );
}

function outputSchema(
  type: GraphQLOutputType,
  selectionSet: SelectionSetNode | undefined,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): JsonSchema {
  const present = getNullableType(type);
  const named = (): JsonSchema => {
    if (isListType(present)) return { type: 'array', items: outputSchema(present.ofType, selectionSet, fragments) };
    if (isEnumType(present)) return enumSchema(present);
    return selectionSet === undefined ? scalar(present.name) : answerSchema(present, selectionSet, fragments);
  };
  return isNonNullType(type) ? named() : orNull(named());
}

function enumSchema(type: GraphQLEnumType): JsonSchema {
  return { type: 'string', enum: type.getValues().map(({ name }) => name) };
}

function orNull({ type, enum: values, ...rest }: JsonSchema): JsonSchema {
  return { type: [type, 'null'], ...(values !== undefined && { enum: [...(values as string[]), null] }), ...rest };
}

function answerSchema(
  type: GraphQLNamedType,
  selectionSet: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): ObjectSchema {
  const fields = fieldsOf(type, selectionSet, fragments);
  return objectOf(
    fields,
    fields.map(([name]) => name),
  );
}

function fieldsOf(
  type: GraphQLNamedType,
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): readonly (readonly [string, JsonSchema])[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = fragments.get(selection.name.value) as FragmentDefinitionNode;
      return fieldsOf(type, fragment.selectionSet, fragments);
    }
    if (selection.kind !== Kind.FIELD || !isObjectType(type)) throw new Error(`a tool selects ${selection.kind}`);
    const field = type.getFields()[selection.name.value];
    if (field === undefined) throw new Error(`${type.name} has no field ${selection.name.value}`);
    const { description } = field;
    const schema = outputSchema(field.type, selection.selectionSet, fragments);
    return [[selection.name.value, { ...schema, ...(description && { description }) }] as const];
  });
}

function scalar(name: string): JsonSchema {
  const schema = SCALARS[name];
  if (schema === undefined) throw new Error(`no JSON Schema is known for the scalar ${name}`);
  return schema;
}

function objectOf(properties: readonly (readonly [string, JsonSchema])[], required: readonly string[]): ObjectSchema {
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false };
}
