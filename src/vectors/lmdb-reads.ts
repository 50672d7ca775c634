import type { RootDatabase } from 'lmdb';
import { endOf } from './cache-keys.js';

type Lmdb = RootDatabase<Buffer, string>;

/** Keys that are read, or removed, at a time: some milliseconds. To read all of 50,000 takes a tenth of a second. */
const KEYS_PER_TURN = 1_000;

/** What `read` makes of the stored bytes, if there are any. */
export function storedIn<T>(lmdb: Lmdb, key: string, read: (bytes: Uint8Array) => T): T | undefined {
  const stored = lmdb.getBinaryFast(key);
  // lmdb reuses this buffer, which is longer than the value.
  return stored && read(stored.subarray(0, stored.length));
}

/** The first keys with the prefix, or the next ones `after` a key. */
export function someKeysIn(lmdb: Lmdb, prefix: string, after?: string): readonly string[] {
  const range = { start: after ?? prefix, exclusiveStart: after !== undefined, end: endOf(prefix) };
  return [...lmdb.getKeys({ ...range, limit: KEYS_PER_TURN })];
}

/** All keys with the prefix, in parts: what is put or removed meanwhile may be among them or not. */
export function* keysIn(lmdb: Lmdb, prefix: string): Generator<string> {
  let keys = someKeysIn(lmdb, prefix);
  for (; keys.length === KEYS_PER_TURN; keys = someKeysIn(lmdb, prefix, keys.at(-1))) yield* keys;
  yield* keys;
}
