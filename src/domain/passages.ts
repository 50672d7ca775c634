import { createHash } from 'node:crypto';
import { perspectiveTexts } from './card.js';
import { type ByPerspective, byPerspective } from './perspective.js';
import { split } from './split.js';

/** A piece of a perspective's text that one vector stands for. */
export interface Passage {
  readonly text: string;
  /** SHA-256 of the text, 128 bits of it in hex: the same hash means that the vector need not be computed again. */
  readonly contentHash: string;
}

/** The passages of a card by perspective, in order; none where the card has nothing to embed for a perspective. */
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
