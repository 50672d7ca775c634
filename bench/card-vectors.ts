import type { NewCard } from '../src/domain/card.js';
import { type Passage, passagesOf } from '../src/domain/passages.js';
import { type ByPerspective, byPerspectiveAsync } from '../src/domain/perspective.js';
import type { Embedder } from '../src/domain/ports/models.js';
import { PackedVectors } from '../src/vectors/packed.js';

export interface CardVectors {
  readonly passages: ByPerspective<readonly Passage[]>;
  /** One for each passage. */
  readonly vectors: ByPerspective<readonly Float32Array[]>;
  /** The same as the vector cache has them, of revision 1. */
  readonly packed: PackedVectors;
}

export async function vectorsOf(card: Omit<NewCard, 'id'>, embedder: Embedder): Promise<CardVectors> {
  const { signal } = new AbortController();
  const passages = passagesOf(card, embedder);
  const vectors = await byPerspectiveAsync((perspective) => {
    const texts = passages[perspective].map(({ text }) => text);
    return embedder.embed(texts, 'passage', perspective, signal);
  });
  return { passages, vectors, packed: PackedVectors.of({ revision: 1, passages: vectors }) };
}
