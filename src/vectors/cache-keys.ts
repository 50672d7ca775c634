import type { RootDatabase } from 'lmdb';
import type { KeyWatch } from '../domain/ports/vectors.js';

/**
 * Separates the parts of a key; no tenant id and no model key contains it. U+0000 to U+0002 separate the parts of
 * lmdb's own keys: it would read a key of 64 characters or more with one of them as a list.
 */
export const SEPARATOR = '\u001f';
const AFTER_SEPARATOR = '\u0020';

/** Sorts after every key with this prefix, which ends with a separator. */
export function endOf(prefix: string): string {
  return `${prefix.slice(0, -1)}${AFTER_SEPARATOR}`;
}

/** With '' as the card's id: the prefix of all keys of the generation. */
export function keyOf(tenantId: string, generation: number, cardId: string): string {
  return `${tenantId}${SEPARATOR}${generation}${SEPARATOR}${cardId}`;
}

interface KeyParts {
  readonly tenantId: string;
  /** The prefix of all keys of the generation. */
  readonly generation: string;
  readonly cardId: string;
}

export function partsOf(key: string): KeyParts {
  const tenant = key.indexOf(SEPARATOR);
  const end = key.indexOf(SEPARATOR, tenant + 1) + 1;
  return { tenantId: key.slice(0, tenant), generation: key.slice(0, end), cardId: key.slice(end) };
}

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

/** Tells running reads and writes which keys others have removed, or put, meanwhile. */
export class KeyWatches {
  /** The keys that were added since each watch began. */
  readonly #watches = new Set<Set<string>>();

  /** `prefix` is that of the keys of a generation, or empty. */
  watch(prefix: string): KeyWatch {
    const added = new Set<string>();
    this.#watches.add(added);
    return {
      has: (rest) => added.has(prefix) || added.has(prefix + rest),
      end: () => {
        this.#watches.delete(added);
      },
    };
  }

  /** Keys of cards, or the prefix of a whole generation. */
  add(keys: readonly string[]): void {
    for (const watch of this.#watches) for (const key of keys) watch.add(key);
  }
}
