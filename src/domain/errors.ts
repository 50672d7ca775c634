import type { ExitCode } from './exit-codes.js';

/**
 * The few errors that may cross the API, each built from facts and carrying the code that clients see in
 * `extensions.code`. Everything else that is thrown is INTERNAL: logged with its cause, never shown.
 */
export abstract class ErrataError extends Error {
  abstract readonly code: string;
  /** Sent to clients beside the code, e.g. `{ field }`. */
  readonly extensions: Readonly<Record<string, unknown>> = {};

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/**
 * The caller's input is not acceptable; nothing was stored. `field` is the path as the caller wrote it,
 * `input.difficulty`.
 */
export class BadInputError extends ErrataError {
  readonly code = 'BAD_USER_INPUT';
  override readonly extensions: Readonly<{ field: string }>;

  /** @param field its path as the caller wrote it; empty: the input as a whole. */
  constructor(
    readonly field: string,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(field === '' ? `the input ${problem}` : `${field}: ${problem}`, options);
    this.extensions = { field };
  }
}

/** It does not exist for this viewer; absent and foreign objects are not distinguished. */
export class NotFoundError extends ErrataError {
  readonly code = 'NOT_FOUND';
  /** The id of a card as it was given: a request may name several. */
  override readonly extensions: Readonly<{ cardId?: string }>;

  constructor(what: string, key: string, kind: 'id' | 'name' = 'id') {
    super(`no ${what} with the ${kind} ${JSON.stringify(key)}`);
    this.extensions = what === 'card' ? { cardId: key } : {};
  }
}

/** The object has changed meanwhile, or the id exists already. */
export class ConflictError extends ErrataError {
  readonly code = 'CONFLICT';
  override readonly extensions: Readonly<Record<string, unknown>>;

  constructor(message: string, { cardId, revision, ...options }: ConflictFacts & ErrorOptions = {}) {
    super(message, options);
    this.extensions = { ...(cardId !== undefined && { cardId }), ...(revision !== undefined && { revision }) };
  }
}

/** A request key came with another change before. */
export class KeyReusedError extends ConflictError {
  constructor() {
    super('the Idempotency-Key was used for a different mutation: send another change with a new key');
  }
}

interface ConflictFacts {
  /** The card that the change is in conflict with. */
  readonly cardId?: string;
  /** The revision that it is at, where another one was expected. */
  readonly revision?: number;
}

/** A cursor of the sync feed that cannot be continued: the client must start again without one. */
export class CursorExpiredError extends ErrataError {
  readonly code = 'CURSOR_EXPIRED';
}

/** No credential, or one that is invalid or expired. */
export class UnauthenticatedError extends ErrataError {
  readonly code = 'UNAUTHENTICATED';
}

export class ForbiddenError extends ErrataError {
  readonly code = 'FORBIDDEN';
}

/** The request exceeds a size or complexity limit. */
export class TooComplexError extends ErrataError {
  readonly code = 'TOO_COMPLEX';
}

/** The caller exceeds its rate or concurrency limit; the same call may succeed after `retryAfterMs`. */
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

/** A required part is unavailable; the same call may succeed later. */
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

/** A part has run out of a resource that only its operator can add: disk space, memory, connections. */
export class ResourceExhaustedError extends UnavailableError {
  override readonly code = 'RESOURCE_EXHAUSTED';
}

/** The deadline of the request or search has passed; a change may have been made nevertheless. */
export class DeadlineExceededError extends UnavailableError {
  override readonly code = 'DEADLINE_EXCEEDED';
}

/** A collection of the index is missing or damaged; it is rebuilt from PostgreSQL. */
export class IndexLostError extends UnavailableError {
  constructor(reason: string, options?: ErrorOptions) {
    super('chroma', reason, options);
  }
}

/** A model cannot embed this text, but others. */
export class RefusedTextError extends Error {
  constructor(text: string, cause: Error) {
    super(`the model cannot embed a text of ${text.length} characters: ${cause.message}`, { cause });
    this.name = 'RefusedTextError';
  }
}

/** The client has closed its connection and receives no answer; not an error of the gateway. */
export class ClientGoneError extends Error {
  readonly code = 'CLIENT_GONE';

  constructor() {
    super('the client closed the connection');
    this.name = 'ClientGoneError';
  }
}

/** The process or command cannot do its job. The message is shown to the user who started it. */
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

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}

/** For `catch`: null for system errors with one of these codes, such as ENOENT; rethrows any other error. */
export function nullIf(...codes: readonly string[]): (thrown: { readonly code?: string }) => null {
  return (thrown) => {
    if (codes.includes(thrown.code ?? '')) return null;
    throw thrown;
  };
}
