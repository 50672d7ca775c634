import type { Card } from '../domain/card.js';
import type { Passage } from '../domain/passages.js';
import { byPerspective, PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import { type IndexedCard, recordId } from '../ports.js';

/** A passage that must be embedded and written. */
export interface NewPassage {
  readonly perspective: Perspective;
  readonly passage: number;
  readonly text: string;
  readonly contentHash: string;
}

/** What one generation needs so that it agrees with a card. */
export interface CardChanges {
  readonly card: Card;
  /** Passages whose text is not the one that is indexed. */
  readonly embed: readonly NewPassage[];
  /** Passages whose vector stays; only what the record says of the card has changed. */
  readonly keep: readonly Omit<NewPassage, 'text'>[];
  /** Records whose passage the card no longer has. */
  readonly remove: readonly { readonly perspective: Perspective; readonly recordId: string }[];
  /** What the ledger will hold when this is done. */
  readonly passages: IndexedCard['passages'];
}

/** Compares a card's passages with what is indexed of it. Pure; nothing indexed (undefined) means that all is new. */
export function changesOf(
  card: Card,
  passages: Readonly<Record<Perspective, readonly Passage[]>>,
  indexed: IndexedCard | undefined,
): CardChanges {
  const embed: NewPassage[] = [];
  const keep: Omit<NewPassage, 'text'>[] = [];
  for (const perspective of PERSPECTIVES) {
    passages[perspective].forEach(({ text, contentHash }, passage) => {
      if (indexed?.passages[perspective][passage] === contentHash) keep.push({ perspective, passage, contentHash });
      else embed.push({ perspective, passage, text, contentHash });
    });
  }
  return {
    card,
    embed,
    keep,
    remove: PERSPECTIVES.flatMap((perspective) => tailOf(card.id, perspective, indexed, passages[perspective].length)),
    passages: byPerspective((perspective) => passages[perspective].map(({ contentHash }) => contentHash)),
  };
}

/** The indexed records from passage `kept` on. */
function tailOf(
  cardId: string,
  perspective: Perspective,
  indexed: IndexedCard | undefined,
  kept: number,
): CardChanges['remove'] {
  const surplus = indexed?.passages[perspective].slice(kept) ?? [];
  return surplus.map((_, place) => ({ perspective, recordId: recordId(cardId, kept + place) }));
}
