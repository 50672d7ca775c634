import fc from 'fast-check';
import {
  buildSchema,
  getIntrospectionQuery,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { costOf } from '../../resolvers/requests/complexity.js';
import { Sizes } from '../../resolvers/requests/document-size.js';
import { refuseLarge } from '../../resolvers/requests/limits.js';
import { RateLimits } from '../../resolvers/requests/rate-limits.js';
import { rootFieldsOf } from '../../resolvers/requests/root-fields.js';
import { RateLimitedError, TooComplexError } from '../../src/domain/errors.js';

// --- documents -----------------------------------------------------------------------------------------------------

/** A selection; a spread names a fragment below the one that it stands in, so that there are no cycles. */
type Selection =
  | { readonly field: string; readonly alias: string | null; readonly below: readonly Selection[] }
  | { readonly inline: readonly Selection[] }
  | { readonly spread: number };

const FRAGMENTS = 4;

const { set } = fc.letrec<{ selection: Selection; set: readonly Selection[] }>((tie) => ({
  selection: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'selection' },
    fc.record({ field: fc.constantFrom('a', 'b', 'c'), alias: fc.constant(null), below: fc.constant([]) }),
    fc.record({
      field: fc.constantFrom('a', 'b'),
      alias: fc.option(fc.constantFrom('x', 'y')),
      below: fc.oneof(fc.constant([]), tie('set')),
    }),
    fc.record({ inline: tie('set') }),
    fc.record({ spread: fc.nat(FRAGMENTS - 1) }),
  ),
  set: fc.array(tie('selection'), { minLength: 1, maxLength: 4, depthIdentifier: 'selection' }),
}));

const sets = fc.tuple(set, fc.array(set, { minLength: FRAGMENTS, maxLength: FRAGMENTS }));

/** Selections as text; `level` is the fragment that they stand in, and only later ones are spread. */
function write(selections: readonly Selection[], level: number): string {
  const written = selections.flatMap((one) => {
    if ('inline' in one) return `... on Q { ${write(one.inline, level)} }`;
    if ('spread' in one) return one.spread > level ? `...F${one.spread}` : [];
    const head = one.alias === null ? one.field : `${one.alias}: ${one.field}`;
    return one.below.length === 0 ? head : `${head} { ${write(one.below, level)} }`;
  });
  return written.length === 0 ? 'a' : written.join(' ');
}

function documentOf([operation, fragments]: readonly [
  readonly Selection[],
  readonly (readonly Selection[])[],
]): string {
  const bodies = fragments.map((one, level) => `fragment F${level} on Q { ${write(one, level)} }`);
  return `{ ${write(operation, -1)} } ${bodies.join(' ')}`;
}

/** A field with nothing but its names and the fields below, every fragment in its place. */
interface Spread {
  readonly name: string;
  readonly alias: string | undefined;
  readonly below: readonly Spread[];
}

function spreadOut(text: string): readonly Spread[] {
  const { definitions } = parse(text);
  const walk = ({ selections }: SelectionSetNode): Spread[] =>
    selections.flatMap((one): Spread[] => {
      if (one.kind === Kind.INLINE_FRAGMENT) return walk(one.selectionSet);
      if (one.kind === Kind.FIELD) {
        const below = one.selectionSet === undefined ? [] : walk(one.selectionSet);
        return [{ name: one.name.value, alias: one.alias?.value, below }];
      }
      const fragment = definitions.find(
        (each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === one.name.value,
      );
      return fragment?.kind === Kind.FRAGMENT_DEFINITION ? walk(fragment.selectionSet) : [];
    });
  const [operation] = definitions;
  return operation?.kind === Kind.OPERATION_DEFINITION ? walk(operation.selectionSet) : [];
}

function counts(values: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...new Set(values)].map((value) => [value, values.filter((other) => other === value).length]));
}

/** The size of a set whose fragments are in their places, in the plainest way. */
function naiveSize(fields: readonly Spread[]) {
  const everySet = (set: readonly Spread[]): (readonly Spread[])[] => [
    set,
    ...set.flatMap(({ below }) => everySet(below)),
  ];
  const all = everySet(fields);
  const depth = (set: readonly Spread[]): number => Math.max(0, ...set.map(({ below }) => 1 + depth(below)));
  const keysOf = (set: readonly Spread[]): string[] => set.map(({ name, alias }) => alias ?? name);
  return {
    depth: depth(fields),
    fields: all.flat().length,
    repetitions: all.reduce((sum, set) => sum + set.length - new Set(keysOf(set)).size, 0),
    aliases: counts(all.flat().flatMap(({ name, alias }) => (alias === undefined ? [] : [name]))),
    keys: counts(keysOf(fields)),
    names: counts(fields.map(({ name }) => name)),
  };
}

describe('the size of a document', () => {
  test('is measured with all fragments expanded', () => {
    fc.assert(
      fc.property(sets, (drawn) => {
        const text = documentOf(drawn);
        const document = parse(text);
        const operation = document.definitions[0] as OperationDefinitionNode;
        const size = new Sizes(document).of(operation.selectionSet);
        expect(size).toEqual(naiveSize(spreadOut(text)));
        expect(rootFieldsOf(document, operation)).toEqual(size.names);
      }),
      { numRuns: 300 },
    );
  });

  test('is computed quickly for fragments that spread each other exponentially or in cycles', () => {
    const spreads = Array.from({ length: 60 }, (_, n) => `fragment F${n} on Q { ...F${n + 1} ...F${n + 1} }`).join(' ');
    const bomb = parse(`{ ...F0 } ${spreads} fragment F60 on Q { a }`);
    expect(new Sizes(bomb).of((bomb.definitions[0] as OperationDefinitionNode).selectionSet).fields).toBe(2 ** 60);
    const circle = parse(`{ ...F0 } ${spreads} fragment F60 on Q { ...F0 ...F0 }`);
    refuseLarge(circle, { introspection: false });
  });
});

describe("graphql-js's own introspection", () => {
  const document = parse(getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true }));

  test('is below the limit if it is allowed', () => {
    refuseLarge(document, { introspection: true });
  });

  test('does not raise the limit of other operations', () => {
    const deep = (levels: number): string => `${'{ a '.repeat(levels)}${'}'.repeat(levels)}`;
    const beside = parse(`{ __schema { queryType { name } } a ${deep(12)} }`);
    expect(() => refuseLarge(beside, { introspection: true })).toThrow(TooComplexError);
    refuseLarge(parse(`{ a ${deep(11)} }`), { introspection: true });
  });
});

// --- costs ---------------------------------------------------------------------------------------------------------

const schema = buildSchema(`
  type Query { a(first: Int = 3): [A!]! problems(first: Int = 3): [A!]! b(topK: Int): B one: A plain: Int }
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

// --- rates ---------------------------------------------------------------------------------------------------------

describe('the rate limit of a caller', () => {
  const amy = { tenantId: 'north', ownerId: 'amy', role: 'student' } as const;

  /** When a field was resolved, and what a caller that kept to the rate would have left. */
  test('is a number per second for each field, and twice as many after a pause, however they are batched', () => {
    const rate = { perSecond: 4, atOnce: 8 };
    const asks = fc.array(
      fc.record({ afterMs: fc.integer({ min: 0, max: 1_500 }), times: fc.integer({ min: 1, max: 5 }) }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(asks, (drawn) => {
        let nowMs = 0;
        const limits = new RateLimits(rate, () => nowMs);
        const resolved: number[] = [];
        for (const { afterMs, times } of drawn) {
          nowMs += afterMs;
          try {
            limits.count(amy, new Map([['cards', times]]));
            resolved.push(...Array.from({ length: times }, () => nowMs));
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(RateLimitedError);
            // It was right to refuse, and says how long to wait.
            const { retryAfterMs } = thrown as RateLimitedError;
            expect(retryAfterMs).toBeGreaterThan(0);
            nowMs += retryAfterMs;
            limits.count(amy, new Map([['cards', times]]));
            resolved.push(...Array.from({ length: times }, () => nowMs));
          }
        }
        // In no stretch of time more than what there was at once and what came since.
        resolved.forEach((from, first) => {
          resolved.slice(first).forEach((to, more) => {
            expect(more + 1).toBeLessThanOrEqual(rate.atOnce + ((to - from) / 1_000) * rate.perSecond + 1e-6);
          });
        });
      }),
    );
  });

  test('counts by field and caller, and counts nothing if one of several fields exceeds it', () => {
    const limits = new RateLimits({ perSecond: 1, atOnce: 2 }, () => 0);
    limits.count(amy, new Map([['cards', 2]]));
    expect(() =>
      limits.count(
        amy,
        new Map([
          ['facets', 1],
          ['cards', 1],
        ]),
      ),
    ).toThrow(RateLimitedError);
    limits.count(amy, new Map([['facets', 2]]));
    limits.count({ ...amy, ownerId: 'ben' }, new Map([['cards', 2]]));
    limits.count({ ...amy, tenantId: 'south' }, new Map([['cards', 2]]));
  });

  test('is lower for rebuilding the index, whatever the setting is', () => {
    const limits = new RateLimits({ perSecond: 1_000, atOnce: 1_000 }, () => 0);
    limits.count(amy, new Map([['rebuildIndex', 2]]));
    expect(() => limits.count(amy, new Map([['rebuildIndex', 1]]))).toThrow(RateLimitedError);
  });
});
