/** Every place of the schema where a client writes a text, made from the schema alone. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isRequiredArgument,
} from 'graphql';

/** One argument of a root field, or something within it, that takes a text. */
export interface TextPlace {
  /** `createCard input.topicTags[0]`. */
  readonly name: string;
  /** As errors name it: `input.topicTags[0]`. */
  readonly path: string;
  readonly query: string;
  /** The variables with this text in its place, and as little as is needed around it. */
  readonly variables: (text: string) => object;
}

/** Places that a search or a case needs one of, and no other beside it. */
const SUBJECTS: readonly string[] = ['text', 'cardId'];

type Input = GraphQLArgument | GraphQLInputField;

/** Every String and every ID among the arguments of the root fields. */
export function textPlacesOf(schema: GraphQLSchema): readonly TextPlace[] {
  return [
    { kind: 'query', type: schema.getQueryType() },
    { kind: 'mutation', type: schema.getMutationType() },
  ].flatMap(({ kind, type }) =>
    Object.values(type?.getFields() ?? {}).flatMap((field) => {
      const declared = field.args.map((arg) => `$${arg.name}: ${arg.type}`).join(', ');
      const passed = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
      const selection = isLeafType(getNamedType(field.type)) ? '' : '{ __typename }';
      return pathsIn(field.args).map((path) => ({
        name: `${field.name} ${written(path)}`,
        path: written(path),
        query: `${kind} (${declared}) { ${field.name}(${passed}) ${selection} }`,
        variables: (text: string) => around(field, path, text),
      }));
    }),
  );
}

/** A list's entry is `0`. */
type Path = readonly string[];

function pathsIn(inputs: readonly Input[]): readonly Path[] {
  return inputs.flatMap(({ name, type }) => pathsOf(type).map((rest) => [name, ...rest]));
}

function pathsOf(type: GraphQLInputType): readonly Path[] {
  const inner = getNullableType(type);
  if (isListType(inner)) return pathsOf(inner.ofType).map((rest) => ['0', ...rest]);
  if (isInputObjectType(inner)) return pathsIn(Object.values(inner.getFields()));
  return inner.name === 'String' || inner.name === 'ID' ? [[]] : [];
}

function written(path: Path): string {
  return path.map((step, place) => (step === '0' ? '[0]' : `${place > 0 ? '.' : ''}${step}`)).join('');
}

function around({ args }: GraphQLField<unknown, unknown>, path: Path, text: string): object {
  return filled(args, path, text);
}

/** What is required, and what leads to the place. */
function filled(inputs: readonly Input[], [name, ...rest]: Path, text: string): object {
  const own = inputs.filter((one) => one.name === name || isRequired(one) || isSubject(one, inputs, name));
  return Object.fromEntries(
    own.map((one) => [one.name, one.name === name ? writtenValue(one.type, rest, text) : least(one.type)]),
  );
}

/** Whether a search would be refused for want of a subject without this one. */
function isSubject({ name }: Input, inputs: readonly Input[], asked: string | undefined): boolean {
  const offered = SUBJECTS.filter((subject) => inputs.some((one) => one.name === subject));
  return offered.length === 2 && name === offered[0] && !SUBJECTS.includes(asked ?? '');
}

function writtenValue(type: GraphQLInputType, path: Path, text: string): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) return [writtenValue(inner.ofType, path.slice(1), text)];
  if (isInputObjectType(inner)) return filled(Object.values(inner.getFields()), path, text);
  return text;
}

/** Something of the type that is acceptable. */
function least(type: GraphQLInputType): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) return [least(inner.ofType)];
  if (isInputObjectType(inner)) return filled(Object.values(inner.getFields()), [], '');
  if (isEnumType(inner)) return inner.getValues()[0]?.name;
  return { Int: 1, Float: 1, Boolean: false, DateTime: '2026-01-01T00:00:00Z' }[inner.name] ?? 'a';
}

/** For arguments and for fields of inputs: graphql-js asks the same of both. */
function isRequired(input: Input): boolean {
  return isRequiredArgument(input as GraphQLArgument);
}
