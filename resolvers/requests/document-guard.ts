import { type DocumentNode, Kind, type ParseOptions, parse } from 'graphql';
import { RefusedRequest } from '../../src/http/errors.js';
import { refuseLarge } from './limits.js';

/** Tokens of one document. Parsing stops there; graphql-js's own introspection query has 184. */
export const PARSE_OPTIONS: ParseOptions = { maxTokens: 1_000 };

/** Maximum length of `operationName`. */
export const MAX_NAME_CHARS = 64;

export interface DocumentRules {
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
  // graphql-js finds out only when it executes one.
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
