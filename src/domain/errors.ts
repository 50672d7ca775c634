import type { ExitCode } from './exit-codes.js';

/**
 * The few errors that may cross the API, each built from facts and carrying the code that clients see in
 * `extensions.code`. Everything else that is thrown is INTERNAL: logged with its cause, never shown.
 */
export abstract class ErrataError extends Error {
  abstract readonly code: string;
  /** What clients may read beside the code, e.g. `{ field }`. */
  readonly extensions: Readonly<Record<string, unknown>> = {};

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The caller's input is not acceptable; nothing was stored. `field` is the path as the caller wrote it, `input.difficulty`. */
export class BadInputError extends ErrataError {
  readonly code = 'BAD_USER_INPUT';
  override readonly extensions: Readonly<{ field: string }>;

  constructor(
    readonly field: string,
    readonly problem: string,
  ) {
    super(`${field}: ${problem}`);
    this.extensions = { field };
  }
}

/** There is no such thing for this viewer. Absent and foreign answer alike. */
export class NotFoundError extends ErrataError {
  readonly code = 'NOT_FOUND';

  constructor(what: string, id: string) {
    super(`no ${what} with the id ${JSON.stringify(id)}`);
  }
}

/** The change was made against something that has changed meanwhile, or an id that exists already. */
export class ConflictError extends ErrataError {
  readonly code = 'CONFLICT';
}

/** Nobody knows who asks: no credential, or none that is good (any more). */
export class UnauthenticatedError extends ErrataError {
  readonly code = 'UNAUTHENTICATED';
}

/** The viewer may not do this. */
export class ForbiddenError extends ErrataError {
  readonly code = 'FORBIDDEN';
}

/** The request asks for more than one request may. */
export class TooComplexError extends ErrataError {
  readonly code = 'TOO_COMPLEX';
}

/** The caller asks more often, or for more at once, than it may; the same call may succeed after `retryAfterMs`. */
export class RateLimitedError extends ErrataError {
  readonly code = 'RATE_LIMITED';
  override readonly extensions: Readonly<{ retryAfterMs: number }>;

  constructor(
    what: string,
    readonly retryAfterMs: number,
    why = 'is asked too often',
  ) {
    super(`${what} ${why}: wait ${retryAfterMs} ms`);
    this.extensions = { retryAfterMs };
  }
}

/** A part that the answer cannot do without is away; the same call may succeed later. */
export class UnavailableError extends ErrataError {
  readonly code: string = 'UNAVAILABLE';
  override readonly extensions: Readonly<{ part: string }>;

  constructor(
    readonly part: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`${part} is unavailable: ${reason}`, options);
    this.extensions = { part };
  }
}

/** A part is there and has run out of what only its operator can give it: room on its disk, memory, connections. */
export class ResourceExhaustedError extends UnavailableError {
  override readonly code = 'RESOURCE_EXHAUSTED';
}

/** There was no answer within the time that a request or a search has; a change may have been made all the same. */
export class DeadlineExceededError extends UnavailableError {
  override readonly code = 'DEADLINE_EXCEEDED';
}

/** A collection of the index is missing or damaged; what was in it is built anew from PostgreSQL. */
export class IndexLostError extends UnavailableError {
  constructor(reason: string, options?: ErrorOptions) {
    super('chroma', reason, options);
  }
}

/** The process, or a command, cannot do what it was started for. The message is for whoever started it. */
export class StartupError extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'StartupError';
  }
}

/** Anything thrown, as an Error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}
