import { type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Config } from '../config/settings.js';

/**
 * Logs to standard error: JSON lines, or readable lines on a terminal. Written synchronously, so that the last lines
 * before the end are not lost; errors of a closed terminal or pipe are ignored.
 */
export function createLog(level: Config['logLevel']): Logger {
  const options = { level, base: null, serializers: { err: (thrown: unknown) => loggedError(thrown) } };
  const { stderr } = process;
  if (!stderr.isTTY) return pino(options, stderr);
  const pretty = prettyFactory({ colorize: stderr.hasColors(), singleLine: true });
  return pino(options, { write: (line: string) => void stderr.write(pretty(line)) });
}

export interface LoggedError {
  readonly type: string;
  readonly message: string;
  /** Where it was thrown, without its message. */
  readonly stack: readonly string[];
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
 * contains ..."): only type, stack, code and message are kept, and not the message of an error about a value.
 */
export function loggedError(thrown: unknown, depth = 0): LoggedError {
  if (!(thrown instanceof Error))
    return { type: typeof thrown, message: 'the thrown value is not an Error', stack: [] };
  const { code: ownCode, errors } = thrown as { readonly code?: unknown; readonly errors?: unknown };
  const code = CODE_IN_MESSAGE.exec(thrown.message)?.[1] ?? (typeof ownCode === 'string' ? ownCode : undefined);
  const tellsValues = code !== undefined && DATA_EXCEPTION.test(code);
  const deeper = depth < MAX_DEPTH;
  return {
    type: thrown.name,
    message: tellsValues ? 'invalid value' : thrown.message.slice(0, MAX_MESSAGE_CHARS),
    stack: (thrown.stack ?? '').split('\n').filter((line) => line.startsWith('    at ')),
    ...(code !== undefined && { code }),
    ...(deeper && thrown.cause !== undefined && { cause: loggedError(thrown.cause, depth + 1) }),
    ...(deeper && Array.isArray(errors) && { errors: errors.map((one) => loggedError(one, depth + 1)) }),
  };
}
