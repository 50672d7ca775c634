import { ApolloServerErrorCode, unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { ErrataError } from '../src/domain/errors.js';
import { inputPath } from './input-path.js';

/** The codes that an error of ours may carry to a client. */
const OUR_CODES: ReadonlySet<string> = new Set([
  'BAD_USER_INPUT',
  'NOT_FOUND',
  'CONFLICT',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'TOO_COMPLEX',
  'UNAVAILABLE',
  'RESOURCE_EXHAUSTED',
  'DEADLINE_EXCEEDED',
]);

/** The codes of Apollo Server that speak of the request alone, with messages made from it. */
const REQUEST_CODES: ReadonlySet<unknown> = new Set([
  ApolloServerErrorCode.GRAPHQL_PARSE_FAILED,
  ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED,
  ApolloServerErrorCode.BAD_USER_INPUT,
  ApolloServerErrorCode.BAD_REQUEST,
  ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE,
  ApolloServerErrorCode.PERSISTED_QUERY_NOT_SUPPORTED,
]);

/** Where the causes go that clients may not see. */
export interface ErrorLog {
  error(facts: object, message: string): void;
}

/** Turns whatever was thrown into what a client may read. */
export type ErrorFormatter = (formatted: GraphQLFormattedError, thrown: unknown) => GraphQLFormattedError;

/**
 * Lets through what this project's errors say and what graphql-js and Apollo Server say of the request itself; anything
 * else is INTERNAL with an id, under which its cause is logged: its text may hold a password, a path or a statement.
 */
export function errorFormatter(log: ErrorLog): ErrorFormatter {
  return (formatted, thrown) => {
    const { message, locations, path } = formatted;
    const place = { ...(locations && { locations }), ...(path && { path }) };
    const cause = causeOf(thrown);
    if (cause instanceof ErrataError && OUR_CODES.has(cause.code)) {
      return { message: cause.message, ...place, extensions: { ...cause.extensions, code: cause.code } };
    }
    const code = requestCode(formatted, thrown, cause);
    if (code !== undefined) {
      const field = cause instanceof GraphQLError ? inputPath(cause) : undefined;
      return { message, ...place, extensions: { ...(field !== undefined && { field }), code } };
    }
    const errorId = crypto.randomUUID();
    log.error({ err: cause, errorId, path }, 'a request failed for a reason that its client may not see');
    return { message: `internal error ${errorId}`, ...place, extensions: { code: 'INTERNAL', errorId } };
  };
}

/** What was thrown by a resolver, or by ourselves before any ran; graphql-js and Apollo Server wrap both. */
function causeOf(thrown: unknown): unknown {
  const ours = thrown instanceof GraphQLError && thrown.originalError instanceof ErrataError;
  return ours ? thrown.originalError : unwrapResolverError(thrown);
}

/** The code of an error that the request itself caused, before any resolver ran; undefined for all others. */
function requestCode(formatted: GraphQLFormattedError, thrown: unknown, cause: unknown): unknown {
  if (!(cause instanceof GraphQLError)) return undefined;
  if (ARGUMENT.test(cause.message) || cause.message.startsWith(TOO_MANY_BAD_VALUES) || isScalarProblem(cause)) {
    return ApolloServerErrorCode.BAD_USER_INPUT;
  }
  const raisedByResolver = thrown instanceof GraphQLError && thrown.path !== undefined;
  const code = formatted.extensions?.code;
  return !raisedByResolver && REQUEST_CODES.has(code) ? code : undefined;
}

/** graphql-js 16 raises these two without a code, where a variable's value does not suit its argument. */
const ARGUMENT = /^Argument "\w+" (?:of required type|of non-null type|has invalid value)/;
const TOO_MANY_BAD_VALUES = 'Too many errors processing variables';

/** A moment that is none, written into the query itself: as bad as one in a variable, and not a fault of the query's form. */
function isScalarProblem(cause: GraphQLError): boolean {
  return cause.message.startsWith('DateTime cannot represent') && inputPath(cause) !== undefined;
}
