import { type DocumentNode, Kind, type ParseOptions, parse } from 'graphql';
import { TooComplexError } from '../../src/domain/errors.js';
import { RefusedRequest } from '../../src/http/errors.js';
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
 * TooComplexError where a definition in a document is too large. Call it before validation, which takes
 * exponentially long for some documents of a few hundred tokens; this takes time in proportion to the document.
 * Validity is checked by validation.
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

/** Tokens of one document. Parsing stops there; graphql-js's own introspection query has 184. */
export const PARSE_OPTIONS: ParseOptions = { maxTokens: 1_000 };

/** Maximum length of `operationName`. */
export const MAX_NAME_CHARS = 64;

interface DocumentRules {
  readonly introspection: boolean;
  /** Whether the operation must be a subscription, or must be none; null: it may be either. */
  readonly streams: boolean | null;
}

/**
 * RefusedRequest or TooComplexError for a document that is too large for validation, has several operations, or an
 * operation of another route. Other bodies pass; Apollo Server reports their errors.
 */
export function refuseLargeDocument(body: unknown, { introspection, streams }: DocumentRules): void {
  const { query, operationName } = (body ?? {}) as { readonly query?: unknown; readonly operationName?: unknown };
  if (typeof operationName === 'string' && operationName.length > MAX_NAME_CHARS) {
    throw new RefusedRequest(400, 'BAD_REQUEST', `operationName must have at most ${MAX_NAME_CHARS} characters`);
  }
  const document = typeof query === 'string' ? parsed(query) : null;
  if (document === null) return;
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  if (operations.length > 1) throw invalid('a document may have one operation');
  // graphql-js would report it only at execution.
  const isSubscription = operations[0]?.operation === 'subscription';
  if (streams === false && isSubscription) throw invalid('a subscription is sent to /graphql/stream');
  if (streams === true && !isSubscription) throw invalid('this route answers subscriptions alone');
  refuseLarge(document, { introspection });
}

function invalid(message: string): RefusedRequest {
  return new RefusedRequest(400, 'GRAPHQL_VALIDATION_FAILED', message);
}

/** Null if it cannot be parsed: Apollo Server parses it again and reports the error. */
function parsed(query: string): DocumentNode | null {
  try {
    return parse(query, PARSE_OPTIONS);
  } catch {
    return null;
  }
}
