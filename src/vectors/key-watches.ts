import type { RemovalWatch } from '../domain/ports/vectors.js';

/** Tells reads of vectors which cards were removed meanwhile. */
export class Removals {
  /** What was removed since each watch began. */
  readonly #watches = new Set<Set<string>>();

  /** `prefix` is that of the keys of a generation. */
  watch(prefix: string): RemovalWatch {
    const removed = new Set<string>();
    this.#watches.add(removed);
    return {
      has: (cardId) => removed.has(prefix) || removed.has(prefix + cardId),
      end: () => {
        this.#watches.delete(removed);
      },
    };
  }

  /** Keys of cards, or the prefix of a whole generation. */
  add(keys: readonly string[]): void {
    for (const watch of this.#watches) for (const key of keys) watch.add(key);
  }
}
