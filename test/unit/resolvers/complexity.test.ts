import fc from 'fast-check';
import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { costOf } from '../../../resolvers/requests/complexity.js';

const schema = buildSchema(`
  type Query { a(first: Int = 3): [A!]! problems(first: Int = 3): [A!]!
    goldenSets(first: Int = 100): [A!]! b(topK: Int): B one: A plain: Int }
  type B { hits: [A!]! note: String }
  type A { x: Int again(first: Int!): [A!] tags: [A] }
`);

function cost(query: string, variables: Record<string, unknown> = {}): number {
  const document = parse(query);
  return costOf({ schema, document, operation: document.definitions[0] as OperationDefinitionNode, variables });
}

describe('the complexity of an operation', () => {
  test.each([
    ['a value of the root', '{ plain }', {}, 10],
    ['its own name', '{ __typename }', {}, 1],
    ['an object', '{ one { x } }', {}, 11],
    ['a list of a length that is written', '{ a(first: 7) { x } }', {}, 10 + 7],
    ['a list of its usual length', '{ a { x } }', {}, 10 + 3],
    ['a list of a length in a variable', 'query ($n: Int) { a(first: $n) { x } }', { n: 9 }, 10 + 9],
    ["a list of a variable's usual length", 'query ($n: Int = 4) { a(first: $n) { x } }', {}, 10 + 4],
    ['a list whose length is null', '{ a(first: null) { x } }', {}, 10 + 3],
    ['a list in an object that was asked for by its length', '{ b(topK: 5) { hits { x } note } }', {}, 10 + 5 * 3],
    ['a list that nobody gave a length', '{ one { tags { x } } }', {}, 10 + 1 + 10],
    ['a list that may be longer than others', '{ problems(first: 1000) { x } }', {}, 10 + 1_000],
    [
      'a list that had no length in earlier versions, as then',
      '{ goldenSets { again(first: 100) { x } } }',
      {},
      10 + 10 * 101,
    ],
    ['the same list with a length', '{ goldenSets(first: 100) { x } }', {}, 10 + 100],
    ['a list in a list', '{ a(first: 10) { again(first: 20) { x } } }', {}, 10 + 10 * (1 + 20)],
    [
      'two thousand in a thousand, as far as either may go',
      'query ($n: Int!) { a(first: $n) { again(first: $n) { x } } }',
      { n: 1_000 },
      10 + 100 * (1 + 100),
    ],
    [
      'fragments, each time they are spread',
      '{ ...F a(first: 2) { ...G ... on A { x } } } fragment F on Query { one { ...G } } fragment G on A { x }',
      {},
      10 + 1 + 10 + 2 * 2,
    ],
    ['nothing, where it will not be executed', 'query ($n: Int!) { a(first: $n) { x } }', { n: 'many' }, 0],
  ])('%s', (_what, query, variables, expected) => {
    expect(cost(query, variables)).toBe(expected);
  });

  test('grows with every list length, up to the maximum length', () => {
    const length = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(length, length, fc.integer({ min: 101 }), (m, n, beyond) => {
        const query = 'query ($m: Int!, $n: Int!) { a(first: $m) { x again(first: $n) { x } } }';
        expect(cost(query, { m, n })).toBe(10 + m * (2 + n));
        expect(cost(query, { m: beyond, n: -beyond })).toBe(cost(query, { m: 100, n: 100 }));
      }),
    );
  });
});
