import type { Card } from '../domain/card.js';
import type { Passage } from '../domain/passages.js';
import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import { recordId } from '../domain/ports/collections.js';
import type { IndexedCard } from '../domain/ports/ledger.js';
import type { StoredRecord } from '../domain/ports/vectors.js';
import type { StoredPassages } from './held.js';

/** A passage that must be embedded and written. */
export interface NewPassage {
  readonly perspective: Perspective;
  readonly passage: number;
  readonly text: string;
  readonly contentHash: string;
}

/** A passage whose vector is in the index. */
export interface KeptPassage extends StoredRecord {
  readonly perspective: Perspective;
  readonly passage: number;
}

/** Changes that bring one generation up to date with a card. */
export interface CardChanges {
  readonly card: Card;
  /** Passages whose text is not indexed. */
  readonly embed: readonly NewPassage[];
  /** Passages whose vector stays; at most the metadata change. */
  readonly keep: readonly KeptPassage[];
  /** Records whose passage the card no longer has, last first: a crash in between leaves no gap that hides the rest. */
  readonly remove: readonly { readonly perspective: Perspective; readonly recordId: string }[];
  /** The ledger's entry afterwards. */
  readonly passages: IndexedCard['passages'];
}

/**
 * Diffs a card's passages against its records in the index. Pure. A record of another text counts only where it is
 * surplus.
 */
export function changesOf(card: Card, passages: ByPerspective<readonly Passage[]>, held: StoredPassages): CardChanges {
  const embed: NewPassage[] = [];
  const keep: KeptPassage[] = [];
  const remove: { readonly perspective: Perspective; readonly recordId: string }[] = [];
  for (const perspective of PERSPECTIVES) {
    passages[perspective].forEach(({ text, contentHash }, passage) => {
      const stored = held[perspective].get(passage);
      if (stored?.contentHash === contentHash) keep.push({ ...stored, perspective, passage });
      else embed.push({ perspective, passage, text, contentHash });
    });
    const surplus = [...held[perspective].keys()].filter((passage) => passage >= passages[perspective].length);
    for (const passage of surplus.sort((a, b) => b - a)) {
      remove.push({ perspective, recordId: recordId(card.id, passage) });
    }
  }
  return {
    card,
    embed,
    keep,
    remove,
    passages: byPerspective((perspective) => passages[perspective].map(({ contentHash }) => contentHash)),
  };
}
