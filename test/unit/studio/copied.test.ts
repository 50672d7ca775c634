import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  parse,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { asGraphql } from '../../../studio/search/copied.js';

const schema = buildSchema(readFileSync(join(packageRoot(), 'schema.graphql'), 'utf8'));

const SCALARS: Readonly<Record<string, unknown>> = { Boolean: true, Float: 0.5, Int: 2 };

/** A value with every field that is not deprecated. */
function exampleOf(given: GraphQLInputType): unknown {
  const type = getNullableType(given);
  if (isListType(type)) return [exampleOf(type.ofType)];
  if (isEnumType(type)) return type.getValues()[0]?.value;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(({ deprecationReason }) => deprecationReason == null);
    return Object.fromEntries(fields.map((field) => [field.name, exampleOf(field.type)]));
  }
  return SCALARS[getNamedType(type).name] ?? '2026-11-23T00:00:00Z "quoted"';
}

describe('the copied query', () => {
  test.each(['hybridSearch', 'byError'] as const)('of %s is valid with every field of filter and options', (name) => {
    const { args } = schema.getQueryType()?.getFields()[name] ?? { args: [] };
    const variables = Object.fromEntries(args.map((arg) => [arg.name, exampleOf(arg.type)]));
    expect(Object.keys(variables)).toEqual(expect.arrayContaining(['filter', 'options', 'profile', 'text', 'topK']));
    expect(validate(schema, parse(asGraphql(name, variables)))).toEqual([]);
  });
});
