import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BreakingChangeType,
  buildSchema,
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { nullableCopy } from '../../resolvers/requests/on-error.js';
import { apiSchema } from '../../resolvers/schema.js';
import { packageRoot } from '../../src/config/package-root.js';

/** Breaks of the first API that were decided, each with its reason; docs/api.md promises that there are none. */
const DECLARED_BREAKS: Readonly<Record<string, string>> = {};

/** What is new and breaks a rule, each with its reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'Mutation.mergeLabels(from): a list is named in the plural': 'from these labels, into that one',
  'Query.cardsByIds: its items are nullable': 'an entry of null stands where a card is missing, at the place of its id',
  'Query.duplicates: a list with pages is a connection': 'a list since the first API: its entries have the cursors',
  'Query.goldenSets: a list with pages is a connection': 'a list since the first API: its entries have the cursors',
};

const first = buildSchema(readFileSync(join(packageRoot(), 'test/support/first-schema.graphql'), 'utf8'));
const schema = apiSchema();

/** Changes after which an operation that was valid fails, or means something else. */
function breaksBetween(before: GraphQLSchema, after: GraphQLSchema): readonly string[] {
  const dangerous = findDangerousChanges(before, after).filter(
    ({ type }) => type === DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE,
  );
  return [...findBreakingChanges(before, after), ...dangerous].map(({ description }) => description);
}

describe('since the first API', () => {
  test('there is no undeclared breaking change', () => {
    expect(breaksBetween(first, schema)).toEqual(Object.keys(DECLARED_BREAKS));
  });

  test('a breaking change would be detected', () => {
    const before = buildSchema('type Query { a(n: Int = 1): Int! b: Int }');
    const after = buildSchema('type Query { a(n: Int = 2, m: Int!): Int }');
    expect(findBreakingChanges(before, after).map(({ type }) => type)).toEqual([
      BreakingChangeType.FIELD_REMOVED,
      BreakingChangeType.REQUIRED_ARG_ADDED,
      BreakingChangeType.FIELD_CHANGED_KIND,
    ]);
    expect(breaksBetween(before, after)).toHaveLength(4);
  });

  test('deprecations name the replacement and the date', () => {
    const members = Object.values(schema.getTypeMap()).flatMap(membersOf);
    const deprecated = members.filter(({ deprecationReason }) => deprecationReason != null);
    expect(deprecated.length).toBeGreaterThan(0);
    expect(
      deprecated
        .filter(
          ({ deprecationReason }) => !/^Use `.+\. Deprecated on 20\d\d-\d\d-\d\d\.$/.test(deprecationReason ?? ''),
        )
        .map(({ name }) => name),
    ).toEqual([]);
  });
});

test('new fields follow the rules of names and nullability', () => {
  const known = new Set(problemsOf(first));
  expect(
    problemsOf(schema)
      .filter((problem) => !known.has(problem))
      .sort(),
  ).toEqual(Object.keys(EXCEPTIONS).sort());
});

test('the schema for onError NULL differs in nothing but that every answer may be null', () => {
  const copied = new Map(fieldsOf(nullableCopy(schema)).map(({ place, field }) => [place, field]));
  const expected = fieldsOf(schema);
  expect([...copied.keys()].sort()).toEqual(expected.map(({ place }) => place).sort());
  for (const { place, field } of expected) {
    expect([place, String(copied.get(place)?.type)]).toEqual([place, String(field.type).replaceAll('!', '')]);
    expect(copied.get(place)?.args.map(({ type }) => type)).toEqual(field.args.map(({ type }) => type));
  }
});

describe('every connection', () => {
  const connections = fieldsOf(schema).filter(({ field }) => /Connection$/.test(named(field.type)));

  test('is paged by the same arguments', () => {
    expect(connections.length).toBeGreaterThan(2);
    for (const { place, field } of connections) {
      const args = new Map(field.args.map((arg) => [arg.name, arg]));
      expect([place, String(args.get('first')?.type), String(args.get('after')?.type)]).toEqual([
        place,
        'Int',
        'String',
      ]);
      expect(args.get('first')?.defaultValue).toBeGreaterThan(0);
      expect(args.get('first')?.defaultValue).toBeLessThanOrEqual(100);
      expect(args.get('after')?.defaultValue).toBeUndefined();
    }
  });

  test('has the same shape', () => {
    for (const { field } of connections) {
      const type = schema.getType(named(field.type));
      const shape = isObjectType(type) ? type.getFields() : {};
      const node = named(shape.nodes?.type ?? field.type);
      const edge = schema.getType(named(shape.edges?.type ?? field.type));
      const { cursor, node: edgeNode } = isObjectType(edge) ? edge.getFields() : {};
      expect({
        connection: type?.name,
        edges: String(shape.edges?.type),
        nodes: String(shape.nodes?.type),
        pageInfo: String(shape.pageInfo?.type),
        cursor: String(cursor?.type),
        node: String(edgeNode?.type),
      }).toEqual({
        connection: type?.name,
        edges: `[${edge?.name}!]!`,
        nodes: `[${node}!]!`,
        pageInfo: 'PageInfo!',
        cursor: 'String!',
        node: `${node}!`,
      });
    }
  });
});

interface Member {
  readonly name: string;
  readonly deprecationReason?: string | null | undefined;
}

/** Fields, arguments and values of a type. */
function membersOf(type: GraphQLNamedType): readonly Member[] {
  if (isEnumType(type)) return type.getValues();
  if (isInputObjectType(type)) return Object.values(type.getFields());
  return isObjectType(type) ? Object.values(type.getFields()).flatMap((field) => [field, ...field.args]) : [];
}

function named(type: GraphQLOutputType): string {
  return String(type).replace(/[[\]!]/g, '');
}

function fieldsOf(of: GraphQLSchema): readonly { place: string; field: GraphQLField<unknown, unknown> }[] {
  return Object.values(of.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !isIntrospectionType(type)
      ? Object.values(type.getFields()).map((field) => ({ place: `${type.name}.${field.name}`, field }))
      : [],
  );
}

/** What does not keep the rules of docs/api.md. */
function problemsOf(of: GraphQLSchema): readonly string[] {
  const types = Object.values(of.getTypeMap()).filter((type) => !isIntrospectionType(type));
  return types.flatMap((type) => [
    ...(/^[A-Z][A-Za-z]*$/.test(type.name) ? [] : [`${type.name}: a type is written in PascalCase`]),
    ...(isInputObjectType(type) && !/(Input|Filter|Order|Options|Weights)$/.test(type.name)
      ? [`${type.name}: an input says what it is for`]
      : []),
    ...(isEnumType(type) ? type.getValues() : []).flatMap(({ name }) =>
      /^[A-Z][A-Z0-9_]*$/.test(name) ? [] : [`${type.name}.${name}: a value is written in UPPER_CASE`],
    ),
    ...(isInputObjectType(type) ? Object.values(type.getFields()) : []).flatMap((field) =>
      inputProblems(`${type.name}.${field.name}`, field.name, field.type),
    ),
    ...(isObjectType(type) ? Object.values(type.getFields()) : []).flatMap((field) => [
      ...memberProblems(`${type.name}.${field.name}`, field.name, field.type),
      ...(field.args.some(({ name }) => name === 'after' || name === 'first') && isPaged(field)
        ? [`${type.name}.${field.name}: a list with pages is a connection`]
        : []),
      ...field.args.flatMap((arg) => inputProblems(`${type.name}.${field.name}(${arg.name})`, arg.name, arg.type)),
    ]),
  ]);
}

/** True for a list by pages that is no connection; one with `first` alone ends with its only page. */
function isPaged(field: GraphQLField<unknown, unknown>): boolean {
  const names = field.args.map(({ name }) => name);
  return names.includes('first') && names.includes('after') && !named(field.type).endsWith('Connection');
}

function memberProblems(place: string, name: string, type: GraphQLOutputType | GraphQLInputType): readonly string[] {
  const list = getNullableType(type);
  return [
    ...(/^[a-z][A-Za-z0-9]*$/.test(name) ? [] : [`${place}: a name is written in camelCase`]),
    ...(isListType(list) && !isNonNullType(list.ofType) ? [`${place}: its items are nullable`] : []),
  ];
}

function inputProblems(place: string, name: string, type: GraphQLInputType): readonly string[] {
  const isPlural = !isListType(getNullableType(type)) || name.endsWith('s') || name === 'metadata';
  return [...memberProblems(place, name, type), ...(isPlural ? [] : [`${place}: a list is named in the plural`])];
}
