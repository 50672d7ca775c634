import { createCipheriv, createDecipheriv, type DecipherGCM, hkdfSync, randomBytes } from 'node:crypto';
import { BadInputError, CursorExpiredError } from '../../src/domain/errors.js';
import { listDigest } from '../../src/domain/page.js';
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
  readonly key: Uint8Array;
}

/** The secret differs between servers and databases; clients do not know it. */
export function cursorKey(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'cursors of changes', 32));
}

/** Cursors of other lists start differently. */
const PREFIX = Buffer.from('s2_');
const IV_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** The length would show how many digits and running transactions there are. */
const PADDED_BYTES = 32;

/** Not encrypted, and not continued: trying numbers would show the server's present one. */
const EARLIER = /^s1_[0-9a-z.]+_[0-9a-z.]*_[0-9a-z]+_[A-Za-z0-9._:-]*_[\w-]{22}$/;

/**
 * Encrypted, because transaction numbers would tell how much all schools of the server write. The initialization vector
 * is random: otherwise two empty pages with different cursors would tell that somebody wrote meanwhile.
 */
export function encodeSyncCursor({ viewer, key }: CursorOwner, { since, until, last }: SyncPosition): string {
  const parts = [written(since), until === null ? '' : written(until), last.transaction.toString(36), last.cardId];
  const text = parts.join('_');
  const padded = text.padEnd(Math.ceil(text.length / PADDED_BYTES) * PADDED_BYTES);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(ownerFacts(viewer));
  return Buffer.concat([PREFIX, iv, cipher.update(padded), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/**
 * BadInputError (`after`) for what is no cursor of changes; CursorExpiredError for one of another viewer, server or
 * version, or one that was altered.
 */
export function decodeSyncCursor({ viewer, key }: CursorOwner, cursor: string): SyncPosition {
  const bytes = Buffer.from(cursor, 'base64url');
  if (EARLIER.test(bytes.toString())) throw expired('the cursor is of an earlier version');
  const [head, body, end] = [PREFIX.length, PREFIX.length + IV_BYTES, bytes.length - TAG_BYTES];
  const isOurs = end > body && PREFIX.equals(bytes.subarray(0, head));
  if (!isOurs || bytes.toString('base64url') !== cursor) {
    throw new BadInputError('after', 'is not a cursor of changes');
  }
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(head, body), { authTagLength: TAG_BYTES })
    .setAAD(ownerFacts(viewer))
    .setAuthTag(bytes.subarray(end));
  const text = textOf(decipher, bytes.subarray(body, end));
  if (text === null) throw expired('the cursor is of another viewer, role, version or database server');
  const [since = '', until = '', transaction = '', ...cardId] = text.trimEnd().split('_');
  return {
    since: read(since),
    until: until === '' ? null : read(until),
    last: { transaction: number36(transaction), cardId: cardId.join('_') },
  };
}

function ownerFacts(viewer: Viewer): Buffer {
  return Buffer.from(listDigest(viewer, []));
}

/** Null if it was encrypted for another owner, or altered. */
function textOf(decipher: DecipherGCM, encrypted: Uint8Array): string | null {
  try {
    return `${decipher.update(encrypted)}${decipher.final()}`;
  } catch {
    return null;
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
