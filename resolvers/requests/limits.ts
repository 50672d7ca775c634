import { type DocumentNode, Kind } from 'graphql';
import { TooComplexError } from '../../src/domain/errors.js';
import { type Size, Sizes } from './document-size.js';

/** Of an operation with its fragments inlined. */
export const OPERATION_LIMITS = {
  /** All fields; the largest search, with everything that it can tell, has about 60. */
  fields: 500,
  /** Fields that repeat one beside them: the fragments of a client's components ask for the same id each. */
  repetitions: 100,
  /** Each is a field that is executed once more. */
  aliases: 15,
  aliasesOfOneField: 5,
  /** Fields of the root. */
  query: 10,
  mutation: 3,
  /** As graphql-js wants it. */
  subscription: 1,
  /** Levels of fields: a page of cards with their index state has 4. */
  depth: 12,
  /** graphql-js's own introspection query has 13. */
  introspectionDepth: 16,
} as const;

/**
 * TooComplexError where a definition in a document is too large. To be asked before validation, which takes
 * exponentially long for some documents of a few hundred tokens; this takes time in proportion to the document. Whether
 * the document is valid at all is for validation to say.
 */
export function refuseLarge(document: DocumentNode, { introspection }: { readonly introspection: boolean }): void {
  const sizes = new Sizes(document);
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION || definition.kind === Kind.FRAGMENT_DEFINITION) {
      refuseMany(sizes.of(definition.selectionSet));
    }
  }
  for (const operation of document.definitions) {
    if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
    const { depth, names } = sizes.of(operation.selectionSet);
    refuseOver(total(names), OPERATION_LIMITS[operation.operation], `fields of the root of a ${operation.operation}`);
    const introspects = introspection && [...names.keys()].every((name) => name.startsWith('__'));
    refuseOver(depth, introspects ? OPERATION_LIMITS.introspectionDepth : OPERATION_LIMITS.depth, 'levels');
  }
}

function refuseMany({ fields, repetitions, aliases }: Size): void {
  refuseOver(fields, OPERATION_LIMITS.fields, 'fields');
  refuseOver(repetitions, OPERATION_LIMITS.repetitions, 'repeated fields');
  refuseOver(total(aliases), OPERATION_LIMITS.aliases, 'aliases');
  refuseOver(Math.max(0, ...aliases.values()), OPERATION_LIMITS.aliasesOfOneField, 'aliases of one field');
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function refuseOver(count: number, limit: number, what: string): void {
  if (count > limit) throw new TooComplexError(`an operation may have at most ${limit} ${what}`);
}
