import { asError, IndexLostError, UnavailableError } from '../src/domain/errors.js';
import { isOutage } from './breaker.js';

/**
 * Errors that the request did not cause, by `name: message`: of the connection, and of a server in trouble (a full
 * disk, a lock, a proxy without its server). For a truncated or stalled response fetch throws a plain TypeError. A
 * response that is not JSON is a SyntaxError; the client does not validate its shape, so another shape is a TypeError
 * too. The client reports every status that it does not know as a server error, including those from 400 to 499.
 */
const OUTAGES: readonly (readonly [RegExp, string])[] = [
  [/^ChromaConnectionError|TypeError: (fetch failed|terminated)$/, 'the vector server does not answer'],
  [/^ChromaRateLimitError|^ChromaServerError: (?!4\d\d: )/, 'the vector server answered with an error'],
  [/SyntaxError: |TypeError: Cannot read properties of (undefined|null)/, 'the vector server gave an invalid answer'],
];

/** Errors of authentication, authorization and quota. */
const REFUSED = /^Chroma(AuthError|ForbiddenError|QuotaExceededError)$/;

/**
 * Errors of a server whose index files are missing or truncated: from then on every query or read of their records
 * fails so. Observed with each of the files truncated or removed.
 */
const DAMAGED = /EOF while parsing|hnsw|segment reader/i;

/**
 * Errors of reads during a write to the same collection. Chroma applies a write to the collection's dimensions, then to
 * its metadata, then to its graph. Until the first write has created the graph, "nothing" is "found on disk"; later, a
 * record in the metadata may not be in the graph yet, or no longer. Every concurrent read of a first write of 200
 * records failed so.
 */
const UNSETTLED = /Nothing found on disk|Error finding id|Error getting embedding/;

/** A restart does not free space. */
const DISK_FULL = /disk is full|no space left/i;

/** A failed read of a collection that is either damaged or being written. */
export class UnsettledError extends IndexLostError {}

export function unexpectedResponse(problem: string): UnavailableError {
  return new UnavailableError('chroma', `unexpected response: ${problem}`);
}

/**
 * The client's error classes share no base and its connection errors have no cause: only the name distinguishes them.
 */
export function translated(error: Error): Error {
  if (error instanceof UnavailableError) return error;
  if (REFUSED.test(error.name)) {
    return new UnavailableError('chroma', 'the vector server refused the credentials of this gateway', {
      cause: error,
    });
  }
  if (UNSETTLED.test(error.message)) {
    return new UnsettledError('a collection of the index is damaged', { cause: error });
  }
  if (DAMAGED.test(error.message)) {
    return new IndexLostError('a collection of the index is damaged', { cause: error });
  }
  const outage = OUTAGES.find(([pattern]) => pattern.test(`${error.name}: ${error.message}`));
  if (outage !== undefined) return new UnavailableError('chroma', outage[1], { cause: error });
  if (error.name === 'ChromaNotFoundError') {
    return new IndexLostError('a collection of the index is missing', { cause: error });
  }
  return error;
}

/** True for a failed call that a restart of the server may repair. */
export function isServerFault(thrown: unknown): boolean {
  const { name, message } = asError(asError(thrown).cause);
  return isOutage(thrown) && name === 'ChromaServerError' && !DISK_FULL.test(message);
}
