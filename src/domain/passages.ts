import { createHash } from 'node:crypto';
import { perspectiveTexts } from './card.js';
import { type ByPerspective, byPerspective } from './perspective.js';

/** A piece of a perspective's text that one vector stands for. */
export interface Passage {
  readonly text: string;
  /** SHA-256 of the text, 128 bits of it in hex: the same hash means that the vector need not be computed again. */
  readonly contentHash: string;
}

/** Where a text may be cut, best place first: paragraphs, lines, sentences, clauses. Each keeps what it cuts after. */
const BORDERS = [/\n\s*\n/g, /\n/g, /[。！？!?；;]|\.\s/g, /[，,、]|\s/g] as const;

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

/** The text in pieces of at most `maxChars`, cut at the last good border of each piece's second half. */
export function split(text: string, maxChars: number): readonly string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > maxChars) {
    const end = borderBefore(rest, maxChars);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...pieces, rest];
}

function borderBefore(text: string, maxChars: number): number {
  const window = text.slice(0, maxChars);
  for (const border of BORDERS) {
    const last = [...window.matchAll(border)].at(-1);
    if (last !== undefined && last.index + last[0].length > maxChars / 2) return last.index + last[0].length;
  }
  // Never between the halves of a surrogate pair.
  return /[\uD800-\uDBFF]$/.test(window) ? maxChars - 1 : maxChars;
}
