/** What a log line has of an error. */
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

/** A message beyond this says no more; it may be a whole statement, or somebody's answer. */
const MAX_MESSAGE_CHARS = 500;

/** Causes of causes: an error that is its own cause must end. */
const MAX_DEPTH = 5;

/** PostgreSQL's data exceptions quote the value that they are about. */
const DATA_EXCEPTION = /^22[0-9A-Z]{3}$/;

/** The SQLSTATE in a message of Prisma's. */
const CODE_IN_MESSAGE = /Code: `([0-9A-Z]{5})`/;

/**
 * An error as the log may have it: what it is and where it came from. Drivers hang whole rows and values on their errors
 * ("Failing row contains ..."), and what students wrote is in them: nothing but the message and the code is taken over, and not the
 * message of an error about a value.
 */
export function loggedError(thrown: unknown, depth = 0): LoggedError {
  if (!(thrown instanceof Error))
    return { type: typeof thrown, message: 'something that is no error was thrown', stack: [] };
  const { code: ownCode, errors } = thrown as { readonly code?: unknown; readonly errors?: unknown };
  const code = CODE_IN_MESSAGE.exec(thrown.message)?.[1] ?? (typeof ownCode === 'string' ? ownCode : undefined);
  const tellsValues = code !== undefined && DATA_EXCEPTION.test(code);
  const deeper = depth < MAX_DEPTH;
  return {
    type: thrown.name,
    message: tellsValues ? 'a value was refused' : thrown.message.slice(0, MAX_MESSAGE_CHARS),
    stack: (thrown.stack ?? '').split('\n').filter((line) => line.startsWith('    at ')),
    ...(code !== undefined && { code }),
    ...(deeper && thrown.cause !== undefined && { cause: loggedError(thrown.cause, depth + 1) }),
    ...(deeper && Array.isArray(errors) && { errors: errors.map((one) => loggedError(one, depth + 1)) }),
  };
}
