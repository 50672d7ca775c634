import { type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Config } from '../config/settings.js';
import { UnavailableError } from '../domain/errors.js';

/**
 * Logs to standard error: JSON lines, or readable lines on a terminal. Written synchronously, so that the last lines
 * before the end are not lost; errors of a closed terminal or pipe are ignored.
 */
export function createLog(level: Config['logLevel']): Logger {
  const allStacks = level === 'debug' || level === 'trace';
  const options = { level, base: null, serializers: { err: (thrown: unknown) => loggedError(thrown, { allStacks }) } };
  const { stderr } = process;
  if (!stderr.isTTY) return pino(options, stderr);
  const pretty = prettyFactory({ colorize: stderr.hasColors(), singleLine: true });
  return pino(options, { write: (line: string) => void stderr.write(pretty(line)) });
}

export interface LoggedError {
  readonly type: string;
  readonly message: string;
  /** Where it was thrown, without its message; not for an outage. */
  readonly stack?: readonly string[];
  /** SQLSTATE, `ECONNREFUSED`, ... */
  readonly code?: string;
  readonly cause?: LoggedError;
  readonly errors?: readonly LoggedError[];
}

/** Limit of a message, which may contain a whole statement. */
const MAX_MESSAGE_CHARS = 500;

/** Limit of nested causes, which may be cyclic. */
const MAX_DEPTH = 5;

/** PostgreSQL's data exceptions quote values. */
const DATA_EXCEPTION = /^22[0-9A-Z]{3}$/;

/** The SQLSTATE in a message of Prisma's. */
const CODE_IN_MESSAGE = /Code: `([0-9A-Z]{5})`/;

/**
 * An error for the log, without data of students. Drivers attach whole rows and values to their errors ("Failing row
 * contains ..."): only type, stack, code and message are kept, and not the message of an error about a value. An
 * outage is expected, and its message says what is away: it has no stack, nor have its causes, unless `allStacks` is
 * set.
 */
export function loggedError(thrown: unknown, { allStacks = false, hasStack = true, depth = 0 } = {}): LoggedError {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: 'the thrown value is not an Error' };
  const isLocated = allStacks || (hasStack && !(thrown instanceof UnavailableError));
  const { code: ownCode, errors } = thrown as { readonly code?: unknown; readonly errors?: unknown };
  const code = CODE_IN_MESSAGE.exec(thrown.message)?.[1] ?? (typeof ownCode === 'string' ? ownCode : undefined);
  const tellsValues = code !== undefined && DATA_EXCEPTION.test(code);
  const deeper = depth < MAX_DEPTH;
  const inner = (one: unknown): LoggedError => loggedError(one, { allStacks, hasStack: isLocated, depth: depth + 1 });
  return {
    type: thrown.name,
    message: tellsValues ? 'invalid value' : thrown.message.slice(0, MAX_MESSAGE_CHARS),
    ...(isLocated && { stack: (thrown.stack ?? '').split('\n').filter((line) => line.startsWith('    at ')) }),
    ...(code !== undefined && { code }),
    ...(deeper && thrown.cause !== undefined && { cause: inner(thrown.cause) }),
    ...(deeper && Array.isArray(errors) && { errors: errors.map(inner) }),
  };
}
