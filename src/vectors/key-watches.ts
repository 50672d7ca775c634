import type { KeyWatch } from '../domain/ports/vectors.js';

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
