import { abortable } from '../domain/async.js';
import type { Card } from '../domain/card.js';
import { BadInputError } from '../domain/errors.js';
import { passagesOf } from '../domain/passages.js';
import { type ByPerspective, byPerspective, byPerspectiveAsync } from '../domain/perspective.js';
import type { Generation, IndexLedger } from '../domain/ports/ledger.js';
import type { Embedder } from '../domain/ports/models.js';
import type { VectorSource } from '../domain/ports/vectors.js';

/** What each perspective is searched for: one vector for a text, one for each passage of a card, none where it has no text. */
export type QueryVectors = ByPerspective<readonly Float32Array[]>;

/** Embeds a query text for every perspective. BadInputError (`text`) where it has nothing to search for. */
export async function embedText(embedder: Embedder, text: string, signal: AbortSignal): Promise<QueryVectors> {
  if (!embedder.embeds(text)) throw new BadInputError('text', 'has no word, number or formula to search for');
  return byPerspectiveAsync((perspective) => abortable(embedder.embed([text], 'query', perspective, signal), signal));
}

interface CardParts {
  readonly embedder: Embedder;
  readonly ledger: Pick<IndexLedger, 'indexed'>;
  readonly stored: VectorSource;
}

/** The vectors of a card: the stored ones, so that nothing is embedded, or new ones where it is not indexed yet. */
export async function embedCard(
  { embedder, ledger, stored }: CardParts,
  card: Card,
  generation: Generation,
  signal: AbortSignal,
): Promise<QueryVectors> {
  const { tenantId } = card;
  const indexed = (await ledger.indexed(tenantId, generation.number, [card.id], signal)).get(card.id);
  if (indexed?.revision === card.revision) {
    const { vectors } = await stored.of(tenantId, generation.number, new Map([[card.id, card.revision]]), signal);
    const known = vectors.get(card.id);
    if (known !== undefined)
      return byPerspective((perspective) => known.passages[perspective].map(({ vector }) => vector));
  }
  const passages = passagesOf(card, embedder);
  return byPerspectiveAsync((perspective) => {
    const texts = passages[perspective].map(({ text }) => text);
    return abortable(embedder.embed(texts, 'passage', perspective, signal), signal);
  });
}
