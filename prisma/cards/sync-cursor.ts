import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
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
  readonly keys: CursorKeys;
}

export interface CursorKeys {
  readonly cipher: Uint8Array;
  readonly mac: Uint8Array;
}

/** The secret differs between servers and databases; clients do not know it. */
export function cursorKeys(secret: string): CursorKeys {
  const bytes = new Uint8Array(hkdfSync('sha256', secret, '', 'cursors of changes', 64));
  return { cipher: bytes.subarray(0, 32), mac: bytes.subarray(32) };
}

/** Cursors of other lists start differently. */
const PREFIX = Buffer.from('s2_');
const TAG_BYTES = 16;
const HEAD_BYTES = PREFIX.length + TAG_BYTES;
const CIPHER = 'aes-256-ctr';

/** The length would show how many digits and running transactions there are. */
const PADDED_BYTES = 32;

/** Not encrypted, and not continued: trying numbers would show the server's present one. */
const EARLIER = /^s1_[0-9a-z.]+_[0-9a-z.]*_[0-9a-z]+_[A-Za-z0-9._:-]*_[\w-]{22}$/;

/**
 * Encrypted, because transaction numbers would tell how much all schools of the server write. The initialization vector
 * is the MAC of the text (synthetic IV, as in RFC 5297), so that equal positions have equal cursors.
 */
export function encodeSyncCursor(owner: CursorOwner, { since, until, last }: SyncPosition): string {
  const parts = [written(since), until === null ? '' : written(until), last.transaction.toString(36), last.cardId];
  const text = parts.join('_');
  const padded = Buffer.from(text.padEnd(Math.ceil(text.length / PADDED_BYTES) * PADDED_BYTES));
  const tag = tagOf(owner, padded);
  const encrypted = createCipheriv(CIPHER, owner.keys.cipher, tag).update(padded);
  return Buffer.concat([PREFIX, tag, encrypted]).toString('base64url');
}

/**
 * BadInputError (`after`) for what is no cursor of changes; CursorExpiredError for one of another viewer, server or
 * version, or one that was altered.
 */
export function decodeSyncCursor(owner: CursorOwner, cursor: string): SyncPosition {
  const bytes = Buffer.from(cursor, 'base64url');
  if (EARLIER.test(bytes.toString())) throw expired('the cursor is of an earlier version');
  const isOurs = bytes.length > HEAD_BYTES && PREFIX.equals(bytes.subarray(0, PREFIX.length));
  if (!isOurs || bytes.toString('base64url') !== cursor) {
    throw new BadInputError('after', 'is not a cursor of changes');
  }
  const tag = bytes.subarray(PREFIX.length, HEAD_BYTES);
  const text = createDecipheriv(CIPHER, owner.keys.cipher, tag).update(bytes.subarray(HEAD_BYTES));
  if (!timingSafeEqual(tag, tagOf(owner, text))) {
    throw expired('the cursor is of another viewer or role, or of another database server');
  }
  const [since = '', until = '', transaction = '', ...cardId] = text.toString().trimEnd().split('_');
  return {
    since: read(since),
    until: until === '' ? null : read(until),
    last: { transaction: number36(transaction), cardId: cardId.join('_') },
  };
}

function tagOf({ viewer, keys }: CursorOwner, text: Uint8Array): Buffer {
  return createHmac('sha256', keys.mac).update(listDigest(viewer, [])).update(text).digest().subarray(0, TAG_BYTES);
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
