import type { Card } from '../src/domain/card.js';
import {
  ConflictError,
  ForbiddenError,
  ResourceExhaustedError,
  StartupError,
  UnavailableError,
} from '../src/domain/errors.js';
import { changeableOwner, type Viewer } from '../src/domain/viewer.js';

type Failure =
  /** The server rolled the transaction back; a repetition may succeed. */
  | 'collision'
  /** The connection is lost or refused; it is unknown whether a COMMIT on it was applied. */
  | 'connection'
  /** The server runs, but refuses temporarily. */
  | 'refused';

interface Meaning {
  readonly failure: Failure;
  /** Completes the message "database is unavailable: ...". */
  readonly reason: string;
}

/** SQLSTATE class of a server without disk space, memory or connections. */
const OUT_OF_RESOURCES = '53';

/** SQLSTATE of a write on a standby. */
export const READ_ONLY = '25006';

const UNREACHABLE: Meaning = { failure: 'connection', reason: 'the server cannot be reached' };
const LOST: Meaning = { failure: 'connection', reason: 'the connection was lost' };
const SILENT: Meaning = { failure: 'connection', reason: 'the server does not answer' };
const BUSY: Meaning = { failure: 'connection', reason: 'no connection became free in time' };
const COLLISION: Meaning = { failure: 'collision', reason: 'too many simultaneous changes' };

/** By SQLSTATE or its class, socket error, Prisma code, or the adapter's error kind. Any other error is a bug. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ...meaning(
    UNREACHABLE,
    'ECONNREFUSED ENOENT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN DatabaseNotReachable P1001',
  ),
  ...meaning(LOST, '08 57 ECONNRESET EPIPE ConnectionClosed P1017'),
  ...meaning(SILENT, 'ETIMEDOUT SocketTimeout P1002 P1008'),
  ...meaning(BUSY, 'P2024'),
  ...meaning(COLLISION, '40001 40P01 P2034'),
  '28': { failure: 'refused', reason: 'the server refuses the user or the password' },
  '3D000': { failure: 'refused', reason: 'the server has no database of this name' },
  [READ_ONLY]: { failure: 'refused', reason: 'the server is read-only' },
  [OUT_OF_RESOURCES]: { failure: 'refused', reason: 'the server is out of resources' },
  '53100': { failure: 'refused', reason: "the server's disk is full" },
  '53300': { failure: 'connection', reason: 'the server has no connection free' },
  '57014': { failure: 'refused', reason: 'a statement took too long' },
  '57P01': { failure: 'connection', reason: 'the server is shutting down' },
  '57P02': { failure: 'connection', reason: 'the server has crashed' },
  '57P03': { failure: 'connection', reason: 'the server is starting or stopping' },
  // No connection to begin a transaction with. Statements have shorter limits (`TRANSACTION_TIMEOUT_MS` in client.ts).
  P2028: { ...BUSY, failure: 'refused' },
};

/** Errors of pg without a code, by the beginning of their message. */
const MESSAGES: readonly (readonly [string, Meaning])[] = [
  ['timeout exceeded when trying to connect', BUSY],
  ['timeout expired', SILENT],
  ['Query read timeout', SILENT],
  ['Connection terminated due to connection timeout', SILENT],
  ['Connection terminated', LOST],
  ['Client has encountered a connection error', LOST],
  ['Client was closed', LOST],
];

function meaning(of: Meaning, codes: string): Readonly<Record<string, Meaning>> {
  return Object.fromEntries(codes.split(' ').map((code) => [code, of]));
}

/** An error, its causes and the adapter's error objects, which have the codes of pg and Prisma; innermost last. */
function* facts(thrown: unknown): Generator<Readonly<Record<string, unknown>>> {
  let current = thrown;
  while (typeof current === 'object' && current !== null) {
    const error = current as Record<string, unknown>;
    yield error;
    const { meta } = error as { meta?: { driverAdapterError?: unknown } };
    current = meta?.driverAdapterError ?? error.cause;
  }
}

/** Five characters with a digit among them (EPIPE has none); P1000 to P2999 are Prisma's own. */
const SQLSTATE = /^(?!P[12]\d{3}$)(?=.*\d)[0-9A-Z]{5}$/;

/** SQLSTATE of what the user may not do, and of a row that a policy refuses. */
export const INSUFFICIENT_PRIVILEGE = '42501';

/** The SQLSTATE of a failed statement, whether pg, Prisma or its adapter reported it. */
export function sqlState(thrown: unknown): string | undefined {
  for (const { originalCode, code } of facts(thrown)) {
    for (const candidate of [originalCode, code]) {
      if (typeof candidate === 'string' && SQLSTATE.test(candidate)) return candidate;
    }
  }
  return undefined;
}

export function brokenConstraint(thrown: unknown): string | undefined {
  for (const { constraint } of facts(thrown)) {
    if (typeof constraint === 'string') return constraint;
    const { index } = (constraint ?? {}) as { index?: unknown };
    if (typeof index === 'string') return index;
  }
  return undefined;
}

/** A label was merged into another one while a card got it, or a card deleted while an attempt at it was recorded. */
const GONE =
  /^(?:card_(?:topic_tag|error_type)_tenant_id_(?:topic_tag|error_type)_id_fkey|(?:attempt|card_review)_card_fkey)$/;

function meaningOf(thrown: unknown): Meaning | undefined {
  const state = sqlState(thrown);
  if (GONE.test(brokenConstraint(thrown) ?? '')) return COLLISION;
  if (state !== undefined) return MEANINGS[state] ?? MEANINGS[state.slice(0, 2)];
  for (const { code, kind, message, syscall } of facts(thrown)) {
    // A missing file that DATABASE_URL names, such as `sslrootcert`; ENOENT of a Unix socket has `connect`.
    if (syscall === 'open') return undefined;
    const coded = MEANINGS[String(code)] ?? MEANINGS[String(kind)];
    if (coded !== undefined) return coded;
    const worded = MESSAGES.find(([beginning]) => typeof message === 'string' && message.startsWith(beginning));
    if (worded !== undefined) return worded[1];
  }
  return undefined;
}

/** An error that repeats the transaction, for a failure that the server does not report as a conflict. */
export function collision(cause: unknown): Error {
  return Object.assign(new Error('the transaction conflicts with another one', { cause }), { code: '40001' });
}

/** Undefined for a bug or a violated constraint. */
export function failureOf(thrown: unknown): Failure | undefined {
  return meaningOf(thrown)?.failure;
}

/**
 * A failure of the database as UnavailableError, or as ResourceExhaustedError (SQLSTATE class 53); anything else
 * unchanged.
 */
export function translated(thrown: unknown): unknown {
  const meaning = meaningOf(thrown);
  if (meaning === undefined) return thrown;
  const Failed = sqlState(thrown)?.startsWith(OUT_OF_RESOURCES) ? ResourceExhaustedError : UnavailableError;
  return new Failed('database', meaning.reason, { cause: thrown });
}

/** By SQLSTATE, why a reachable server refuses the connection. */
const REFUSALS: Readonly<Record<string, (message: string) => string>> = {
  // The message names the start-up parameter that a pooler refuses.
  '08P01': (message) => message,
  '28000': () => 'it refuses this user',
  '28P01': () => 'it refuses the user name or the password',
  '3D000': () => 'it has no database of this name',
  // The message names the schema or the table.
  '42501': (message) => `this user may not do that (${message})`,
  '55P03': () => 'another process is migrating it, or holds the lock of migrations',
};

/** Why the gateway cannot start on this database, in one line without the password. */
export function startupFailure(where: string, thrown: unknown): StartupError {
  if (thrown instanceof StartupError) return thrown;
  const { message } = thrown as Error;
  const reason = REFUSALS[sqlState(thrown) ?? '']?.(message) ?? meaningOf(thrown)?.reason ?? message;
  return new StartupError(`PostgreSQL at ${where} cannot be used: ${reason}`, 69, { cause: thrown });
}

/** ConflictError for another revision than the one that the client has seen; null: any. */
export function refuseStale({ id, revision }: Pick<Card, 'id' | 'revision'>, expected: number | null): void {
  if (expected === null || expected === revision) return;
  throw new ConflictError(`the card is at revision ${revision}, not ${expected}`, { cardId: id, revision });
}

/** ForbiddenError for a card that the viewer may see but not change. */
export function refuseForeign(viewer: Viewer, { ownerId }: Pick<Card, 'ownerId'>): void {
  const owner = changeableOwner(viewer);
  if (owner === undefined || owner === ownerId) return;
  throw new ForbiddenError('the card is of another owner: only that owner and admins may change it');
}
