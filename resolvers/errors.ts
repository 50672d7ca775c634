import { ApolloServerErrorCode, unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError, isValueNode, Kind, parse, visit } from 'graphql';
import { ClientGoneError, ErrataError } from '../src/domain/errors.js';
import type { Log } from '../src/domain/ports/log.js';
import { ErrorCodeEnum } from './enums.js';

/** The codes that an error of ours may carry to a client. */
const OUR_CODES: ReadonlySet<string> = new Set(Object.keys(ErrorCodeEnum).filter((code) => code !== 'INTERNAL'));

/** The codes of Apollo Server that speak of the request alone, with messages made from it. */
const REQUEST_CODES: ReadonlySet<unknown> = new Set([
  ApolloServerErrorCode.GRAPHQL_PARSE_FAILED,
  ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED,
  ApolloServerErrorCode.BAD_USER_INPUT,
  ApolloServerErrorCode.BAD_REQUEST,
  ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE,
  ApolloServerErrorCode.PERSISTED_QUERY_NOT_SUPPORTED,
]);

export type ErrorFormatter = (formatted: GraphQLFormattedError, thrown: unknown) => GraphQLFormattedError;

/**
 * Passes on errors of this project, and those of graphql-js and Apollo Server about the request itself; the code of
 * ClientGoneError is for metrics only. Any other error becomes INTERNAL with an id, under which its cause is logged:
 * its message may contain a password, a path or a statement.
 */
export function errorFormatter(log: Pick<Log, 'error'>): ErrorFormatter {
  return (formatted, thrown) => {
    const { message, locations, path } = formatted;
    const place = { ...(locations && { locations }), ...(path && { path }) };
    const cause = causeOf(thrown);
    if (cause instanceof ErrataError && OUR_CODES.has(cause.code)) {
      return { message: cause.message, ...place, extensions: { ...cause.extensions, code: cause.code } };
    }
    if (cause instanceof ClientGoneError) return { message: cause.message, ...place, extensions: { code: cause.code } };
    const code = requestCode(formatted, thrown, cause);
    if (code !== undefined) {
      const field = cause instanceof GraphQLError ? inputPath(cause) : undefined;
      const hint = INVALID_TIME.test(message) ? ' Write a time with its zone, such as 2026-03-01T08:30:00Z.' : '';
      return {
        message: message.replace(SUGGESTION, '') + hint,
        ...place,
        extensions: { ...(field !== undefined && { field }), code },
      };
    }
    const errorId = crypto.randomUUID();
    log.error({ err: cause, errorId, path }, 'a request failed with an internal error');
    return { message: `internal error ${errorId}`, ...place, extensions: { code: 'INTERNAL', errorId } };
  };
}

/** The error that a resolver or our own code threw: graphql-js and Apollo Server wrap it in a GraphQLError. */
function causeOf(thrown: unknown): unknown {
  const ours = thrown instanceof GraphQLError && thrown.originalError instanceof ErrataError;
  return ours ? thrown.originalError : unwrapResolverError(thrown);
}

/** The code of an error that the request itself caused, before any resolver ran; undefined for all others. */
function requestCode(formatted: GraphQLFormattedError, thrown: unknown, cause: unknown): unknown {
  if (!(cause instanceof GraphQLError)) return undefined;
  // graphql-js 16 throws these without a code.
  if (messagePath(cause.message) !== undefined || cause.message.startsWith(TOO_MANY_BAD_VALUES)) {
    return ApolloServerErrorCode.BAD_USER_INPUT;
  }
  if (isScalarProblem(cause)) return ApolloServerErrorCode.BAD_USER_INPUT;
  const raisedByResolver = thrown instanceof GraphQLError && thrown.path !== undefined;
  const code = formatted.extensions?.code;
  return !raisedByResolver && REQUEST_CODES.has(code) ? code : undefined;
}

/** Names of the schema, for a misspelled one in a variable: of a document, Apollo Server leaves them out. */
const SUGGESTION = / Did you mean [\w", ]+\?$/;

const TOO_MANY_BAD_VALUES = 'Too many errors processing variables';

/** The message of graphql-scalars does not say what is wrong; mostly the time has no zone. */
const INVALID_TIME = /DateTime cannot represent an invalid date-time-string .*\.$/s;

/** True for an invalid DateTime literal in the query: invalid input, as in a variable, and not a malformed query. */
function isScalarProblem(cause: GraphQLError): boolean {
  return cause.message.startsWith('DateTime cannot represent') && inputPath(cause) !== undefined;
}

/**
 * Where in the caller's input graphql-js found a value that is not of its type, as the caller wrote it:
 * `input.difficulty`, `filter.grade[1]`; undefined if the error is not about a value. graphql-js keeps the path only
 * in its messages (for variables, whose name it begins with) or as a node (for literals).
 */
function inputPath(error: GraphQLError): string | undefined {
  return messagePath(error.message) ?? literalPath(error);
}

/** The value that a message of graphql-js is about; undefined for any other message. */
function messagePath(message: string): string | undefined {
  return variablePath(message) ?? argumentName(message);
}

const VARIABLE = /^Variable "\$(?<variable>\w+)" (?:got invalid value|of required type|of non-null type)/;

/** The value is quoted before the path with its quotation marks escaped, so the first match is graphql-js's own. */
const BELOW_VARIABLE = / at "(?<path>\w+[.[][^"]*)"; /;

/** A field that an input object lacks, or does not know, is named by the sentence and not by the path. */
const MEMBER = /; Field "(?<member>[^"]+)" (?:of required type|is not defined by type)/;

function variablePath(message: string): string | undefined {
  const variable = VARIABLE.exec(message)?.groups?.variable;
  if (variable === undefined) return undefined;
  const path = BELOW_VARIABLE.exec(message)?.groups?.path ?? variable;
  const member = MEMBER.exec(message)?.groups?.member;
  return member === undefined ? path : `${path}.${member}`;
}

/** Extracts the argument from graphql-js's message about a variable that leaves a required argument without a value. */
function argumentName(message: string): string | undefined {
  return /^Argument "(?<name>\w+)" (?:of required type|of non-null type|has invalid value)/.exec(message)?.groups?.name;
}

function literalPath({ nodes, source }: GraphQLError): string | undefined {
  const node = nodes?.[0];
  if (node?.loc === undefined || source === undefined || !isValueNode(node)) return undefined;
  const { start } = node.loc;
  const document = parse(source);
  let found: string | undefined;
  visit(document, {
    enter(candidate, _key, _parent, path) {
      if (candidate.kind === node.kind && candidate.loc?.start === start) found = writtenPath(document, path);
    },
  });
  return found;
}

/** The argument, fields and positions on the way from the document to one of its values. */
function writtenPath(document: object, path: readonly (string | number)[]): string {
  let field = '';
  let at: unknown = document;
  path.forEach((key, depth) => {
    at = (at as Record<string | number, unknown>)[key];
    const { kind, name } = at as { readonly kind?: Kind; readonly name?: { readonly value: string } };
    if (kind === Kind.ARGUMENT) field = name?.value ?? '';
    else if (kind === Kind.OBJECT_FIELD) field += `.${name?.value}`;
    else if (path[depth - 1] === 'values') field += `[${key}]`;
  });
  return field;
}
