import { BadInputError, CursorExpiredError } from '../../src/domain/errors.js';
import { listDigest } from '../../src/domain/list-cursor.js';
import type { Viewer } from '../../src/domain/viewer.js';

/** The transactions that a statement saw: those before `next` that were not running. */
export interface Snapshot {
  readonly next: bigint;
  /** Ascending. */
  readonly running: readonly bigint[];
}

/**
 * A position in the sync feed. A pass returns the changes that `until` sees and `since` does not, by transaction and
 * card id; the next pass starts at `until`. So a transaction that began early and committed late is in the next pass.
 */
export interface SyncPosition {
  readonly since: Snapshot;
  /** Null: a new pass. */
  readonly until: Snapshot | null;
  /** The last change of the pass that was returned. */
  readonly last: { readonly transaction: bigint; readonly cardId: string };
}

export const FIRST_POSITION = startOf({ next: 0n, running: [] });

/** The start of the pass after one that ended with this snapshot. */
export function startOf(since: Snapshot): SyncPosition {
  return { since, until: null, last: { transaction: 0n, cardId: '' } };
}

/**
 * Limit of running transactions in a snapshot; later ones are treated as not seen, and their changes are returned by a
 * later pass. Keeps cursors below 1,000 characters.
 */
const MAX_RUNNING = 32;

/** Parses PostgreSQL's `xmin:xmax:running,...`. */
export function snapshotOf(text: string): Snapshot {
  const [, next = '', list = ''] = text.split(':');
  const running = list === '' ? [] : list.split(',').map(BigInt);
  return running.length <= MAX_RUNNING
    ? { next: BigInt(next), running }
    : { next: running[MAX_RUNNING] as bigint, running: running.slice(0, MAX_RUNNING) };
}

export function sees({ next, running }: Snapshot, transaction: bigint): boolean {
  return transaction < next && !running.includes(transaction);
}

/** A cursor is only valid for one server and for viewers who see the same cards. */
export interface CursorOwner {
  readonly viewer: Viewer;
  readonly server: string;
}

const CURSOR = /^s1_([0-9a-z.]+)_([0-9a-z.]*)_([0-9a-z]+)_([A-Za-z0-9._:-]*)_([\w-]{22})$/;

/** Opaque to clients. */
export function encodeSyncCursor(owner: CursorOwner, { since, until, last }: SyncPosition): string {
  const parts = [written(since), until === null ? '' : written(until), last.transaction.toString(36), last.cardId];
  return Buffer.from(['s1', ...parts, listDigest(owner.viewer, [owner.server])].join('_')).toString('base64url');
}

/** BadInputError (`after`) for a malformed cursor; CursorExpiredError for one of another viewer or server. */
export function decodeSyncCursor(owner: CursorOwner, cursor: string): SyncPosition {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, since, until, transaction, cardId, of] = CURSOR.exec(text) ?? [];
  if (since === undefined || Buffer.from(text).toString('base64url') !== cursor) {
    throw new BadInputError('after', 'is not a cursor of changes');
  }
  if (of !== listDigest(owner.viewer, [owner.server])) {
    throw expired('the cursor is of another viewer or role, or of another database server');
  }
  return {
    since: read(since),
    until: until === '' || until === undefined ? null : read(until),
    last: { transaction: number36(transaction ?? ''), cardId: cardId ?? '' },
  };
}

export function expired(reason: string): CursorExpiredError {
  return new CursorExpiredError(`${reason}: start again without \`after\``);
}

/** Running transactions as distances from the next one, in base 36. */
function written({ next, running }: Snapshot): string {
  return [next, ...running.map((one) => next - one)].map((one) => one.toString(36)).join('.');
}

function read(text: string): Snapshot {
  const [next = 0n, ...distances] = text.split('.').map(number36);
  return { next, running: distances.map((distance) => next - distance) };
}

/** At most 12 digits, which fit into the 63 bits of a transaction number. */
function number36(text: string): bigint {
  if (text === '' || text.length > 12) throw new BadInputError('after', 'is not a cursor of changes');
  return [...text].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
}
