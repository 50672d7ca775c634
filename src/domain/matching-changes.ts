import type { SyncChange } from './ports/sync.js';

/** Cards known not to match that are remembered: about 1 MB. Of a forgotten one, a removal may be told again. */
const MAX_KNOWN = 10_000;

/**
 * What a subscriber with a filter is told: what matches, and what does not match any more, without its card. What a
 * card was before the subscription is not known: its first change tells that it does not match, unless it is a new
 * card.
 */
export class MatchingChanges {
  /** Cards that do not match, those that changed last at the end. */
  readonly #absent = new Set<string>();

  constructor(private readonly maxKnown = MAX_KNOWN) {}

  /** Null: nothing. */
  told(change: SyncChange): SyncChange | null {
    const { cardId, kind, revision } = change;
    const wasAbsent = this.#absent.delete(cardId);
    if (kind === 'SAVED') return change;
    this.#absent.add(cardId);
    for (const [oldest] of this.#absent.entries()) {
      if (this.#absent.size <= this.maxKnown) break;
      this.#absent.delete(oldest);
    }
    const isNew = kind === 'UNMATCHED' && revision === 1;
    return wasAbsent || isNew ? null : { ...change, card: null };
  }
}
