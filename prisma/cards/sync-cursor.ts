import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
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
  /** Of the server and the database. No client sees it: cursors are encrypted by it. */
  readonly server: string;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A cursor is encrypted: by its transaction numbers a school could count the writes of all schools. */
export function encodeSyncCursor(owner: CursorOwner, { since, until, last }: SyncPosition): string {
  const parts = [written(since), until === null ? '' : written(until), last.transaction.toString(36), last.cardId];
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(owner), iv);
  return Buffer.concat([iv, cipher.update(parts.join('_')), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/**
 * BadInputError (`after`) for what cannot be a cursor; CursorExpiredError for one of another viewer, server or version.
 */
export function decodeSyncCursor(owner: CursorOwner, cursor: string): SyncPosition {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length <= IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== cursor) {
    throw new BadInputError('after', 'is not a cursor of changes');
  }
  const [since = '', until = '', transaction = '', ...cardId] = decrypted(bytes, keyOf(owner)).split('_');
  return {
    since: read(since),
    until: until === '' ? null : read(until),
    last: { transaction: number36(transaction), cardId: cardId.join('_') },
  };
}

function keyOf({ viewer, server }: CursorOwner): Buffer {
  return createHash('sha256')
    .update(listDigest(viewer, [server]))
    .digest();
}

function decrypted(bytes: Buffer, key: Buffer): string {
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    throw expired('the cursor is of another viewer or role, of another database server, or of an earlier version');
  }
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

function number36(text: string): bigint {
  return [...text].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
}
