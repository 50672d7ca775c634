import type { Card } from '../domain/card.js';
import type { Passage } from '../domain/passages.js';
import { type ByPerspective, byPerspective } from '../domain/perspective.js';
import { recordId } from '../domain/ports/collections.js';
import type { StoredRecord } from '../domain/ports/vectors.js';
import type { StoredPassages } from './stored-passages.js';

export interface CurrentPassage extends Passage {
  /** The record of this very text, whose vector stays and at most the metadata change; null if it must be embedded. */
  readonly stored: StoredRecord | null;
}

/** Changes that bring one generation up to date with a card. */
export interface CardChanges {
  readonly card: Card;
  readonly passages: ByPerspective<readonly CurrentPassage[]>;
  /** Ids of the records behind the last passage, last first: a crash in between leaves no gap that hides the rest. */
  readonly surplus: ByPerspective<readonly string[]>;
}

/**
 * Diffs a card's passages against its records in the index. Pure. A record of another text counts only where it is
 * surplus.
 */
export function changesOf(card: Card, passages: ByPerspective<readonly Passage[]>, held: StoredPassages): CardChanges {
  return {
    card,
    passages: byPerspective((perspective) =>
      passages[perspective].map((passage, place) => {
        const record = held[perspective].get(place) ?? null;
        return { ...passage, stored: record?.contentHash === passage.contentHash ? record : null };
      }),
    ),
    surplus: byPerspective((perspective) =>
      [...held[perspective].keys()]
        .filter((passage) => passage >= passages[perspective].length)
        .sort((a, b) => b - a)
        .map((passage) => recordId(card.id, passage)),
    ),
  };
}
