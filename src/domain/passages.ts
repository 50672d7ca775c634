import { createHash } from 'node:crypto';
import { perspectiveTexts } from './card.js';
import { type ByPerspective, byPerspective } from './perspective.js';
import { split } from './split.js';

/** A chunk of a perspective's text, embedded as one vector. */
export interface Passage {
  readonly text: string;
  /** SHA-256 of the text, 128 bits of it in hex: passages with the same hash have the same vector. */
  readonly contentHash: string;
}

/** The passages of a card by perspective, in order; empty if the card has no text for a perspective. */
export function passagesOf(
  card: Parameters<typeof perspectiveTexts>[0],
  embedder: { readonly maxChars: number; embeds(text: string): boolean },
): ByPerspective<readonly Passage[]> {
  const texts = perspectiveTexts(card);
  return byPerspective((perspective) =>
    texts[perspective]
      .flatMap((text) => split(text, embedder.maxChars))
      .filter((text) => embedder.embeds(text))
      .map((text) => ({ text, contentHash: hashOf(text) })),
  );
}

/** The content hash of a text, as {@link Passage} has it. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
