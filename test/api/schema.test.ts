import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type GraphQLArgument,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { apiSchema, printedSchema } from '../../resolvers/schema.js';
import { packageRoot } from '../../src/config/package-root.js';
import { UnavailableError } from '../../src/domain/errors.js';
import { startApi } from './gateway.js';

const schema = apiSchema();

describe('the schema', () => {
  test('schema.graphql is up to date with the resolvers; otherwise run `npm run schema`', () => {
    expect(readFileSync(join(packageRoot(), 'schema.graphql'), 'utf8')).toBe(printedSchema());
  });

  test('is built once in a process, and two gateways on it answer from their own parts', async () => {
    const gateways = await Promise.all(
      ['one', 'two'].map((name) =>
        startApi({ engine: { search: () => Promise.reject(new UnavailableError('chroma', name)) } }),
      ),
    );
    const answers = await Promise.all(gateways.map(({ post }) => post('{ byError(text: "x") { hits { rank } } }')));
    await Promise.all(gateways.map(({ close }) => close()));
    expect(answers.map(({ errors }) => errors[0]?.message)).toEqual([
      expect.stringContaining('one'),
      expect.stringContaining('two'),
    ]);
    expect(apiSchema()).toBe(schema);
  });

  test('every type, field, argument and value is described in sentences', () => {
    const undescribed = described(Object.values(schema.getTypeMap()))
      .filter(([, description]) => !/^[A-Z].*\.$/s.test(description ?? ''))
      .map(([name]) => name);
    expect(undescribed).toEqual([]);
  });

  test('null is accepted wherever there is a default, and means that the default applies', () => {
    const printed = printedSchema().split('\n');
    expect(printed.filter((line) => line.includes('! = '))).toEqual([]);
  });
});

type Described = readonly [name: string, description: string | null | undefined];

function described(types: readonly GraphQLNamedType[]): Described[] {
  return types
    .filter((type) => !isIntrospectionType(type))
    .flatMap((type) => [
      [type.name, type.description] as const,
      ...(isEnumType(type)
        ? type.getValues()
        : isObjectType(type) || isInputObjectType(type)
          ? fieldsOf(type)
          : []
      ).flatMap((member) => [
        [`${type.name}.${member.name}`, member.description] as const,
        ...argsOf(member).map((arg) => [`${type.name}.${member.name}(${arg.name})`, arg.description] as const),
      ]),
    ]);
}

type Member = {
  readonly name: string;
  readonly description?: string | null;
  readonly args?: readonly GraphQLArgument[];
};

function fieldsOf(type: { getFields(): Readonly<Record<string, Member>> }): readonly Member[] {
  return Object.values(type.getFields());
}

/** The arguments of a field; an input's field and an enum's value have none. */
function argsOf({ args = [] }: Member): readonly GraphQLArgument[] {
  return args;
}
