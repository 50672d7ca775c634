import fc from 'fast-check';
import { getIntrospectionQuery, Kind, type OperationDefinitionNode, parse, type SelectionSetNode } from 'graphql';
import { describe, expect, test } from 'vitest';
import { rootFieldsOf, Sizes } from '../../../resolvers/requests/document-size.js';
import { refuseLarge } from '../../../resolvers/requests/limits.js';
import { TooComplexError } from '../../../src/domain/errors.js';
import { runs } from '../../support/runs.js';

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
        expect(new Sizes(document).of(operation.selectionSet)).toEqual(naiveSize(spreadOut(text)));
      }),
      { numRuns: runs(300) },
    );
  });

  test('has the fields of the root, as often as they are asked', () => {
    const document = parse(`
      query { a: card(id: 1) { id } ...Cards b: card(id: 2) @skip(if: true) { id } ... on Query { ...Cards } }
      fragment Cards on Query { cards { card } card(id: 3) { cards } __typename }`);
    expect([...rootFieldsOf(document, document.definitions[0] as OperationDefinitionNode)]).toEqual([
      ['card', 4],
      ['cards', 2],
      ['__typename', 2],
    ]);
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
