import type { Card, NewCard } from '../src/domain/card.js';
import { passagesOf } from '../src/domain/passages.js';
import { byPerspective, byPerspectiveAsync } from '../src/domain/perspective.js';
import type { Generation, IndexedCard } from '../src/domain/ports/ledger.js';
import type { CardFilter } from '../src/domain/search.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { LexicalIndexes } from '../src/lexical/indexes.js';
import { analyserOf } from '../src/lexical/terms.js';
import { BuiltinEmbedder } from '../src/models/builtin.js';
import { Engine } from '../src/search/engine.js';
import { createRetrievers } from '../src/search/retrieve.js';
import { Synonyms } from '../src/text/synonyms.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { WordWeights } from '../src/text/word-weights.js';
import { PackedVectors } from '../src/vectors/packed.js';

const GENERATION: Generation = { tenantId: DEFAULT_VIEWER.tenantId, number: 1, modelKey: 'builtin', state: 'live' };

const EVERY_CARD = Number.POSITIVE_INFINITY;

/** How a filter is kept: PostgreSQL's work in a gateway. */
export type Lets = (filter: CardFilter, card: Card) => boolean;

const notExcluded: Lets = ({ excludeCardIds }, { id }) => !(excludeCardIds?.includes(id) ?? false);

/**
 * The engine as a gateway with the built-in embedder has it, over cards in memory: without servers, every card that matches is
 * scored, as a gateway does with a small notebook. Each card has an id.
 */
export async function memoryEngine(given: readonly NewCard[], lets: Lets = notExcluded): Promise<Engine> {
  const { signal } = new AbortController();
  const tokenizer = new Tokenizer();
  const embedder = new BuiltinEmbedder(tokenizer, new WordWeights());
  const cards = new Map(given.map((one) => [`${one.id}`, stored(one)]));
  const vectors = new Map<string, PackedVectors>();
  const indexed = new Map<string, IndexedCard>();
  for (const card of cards.values()) {
    const passages = passagesOf(card, embedder);
    const embedded = await byPerspectiveAsync((perspective) => {
      const texts = passages[perspective].map(({ text }) => text);
      return embedder.embed(texts, 'passage', perspective, signal);
    });
    const packed = byPerspective((perspective) => embedded[perspective].map((vector) => ({ vector })));
    vectors.set(card.id, PackedVectors.of({ revision: card.revision, passages: packed }));
    const hashes = byPerspective((perspective) => passages[perspective].map(({ contentHash }) => contentHash));
    indexed.set(card.id, { revision: card.revision, indexedAt: card.updatedAt, passages: hashes });
  }
  const lexical = new LexicalIndexes(analyserOf(tokenizer));
  lexical.set(DEFAULT_VIEWER.tenantId, [...cards.values()]);
  const matching = (filter: CardFilter): ReadonlyMap<string, number> =>
    new Map([...cards.values()].filter((card) => lets(filter, card)).map(({ id, revision }) => [id, revision]));
  return new Engine({
    cards: { byIds: async (_viewer, ids) => among(cards, ids) },
    filters: {
      matching: async (_viewer, filter) => {
        const all = matching(filter);
        return { matched: all.size, all };
      },
      admit: async (_viewer, filter, _generation, ids) => among(matching(filter), ids),
    },
    ledger: {
      cards: async (_tenantId, ids) => among(cards, ids),
      live: async () => GENERATION,
      indexed: async (_tenantId, _generation, ids) => among(indexed, ids),
    },
    embedders: { of: () => embedder },
    reranker: null,
    indexes: { of: async ({ tenantId }) => lexical.of(tenantId) },
    retrievers: createRetrievers({
      reader: { nearest: async () => [] },
      vectors: { columns: () => null },
      alone: true,
      exactLimit: EVERY_CARD,
      onLane: () => undefined,
      log: { warn: () => undefined },
    }),
    stored: {
      of: async (_tenantId, _generation, wanted) => ({ vectors: among(vectors, [...wanted.keys()]), failure: null }),
    },
    synonyms: new Synonyms(tokenizer),
    log: { warn: () => undefined },
  });
}

function stored(card: NewCard): Card {
  const { tenantId, ownerId } = DEFAULT_VIEWER;
  const at = card.occurredAt;
  return { ...card, id: `${card.id}`, tenantId, ownerId, revision: 1, occurrences: 1, createdAt: at, updatedAt: at };
}

function among<T>(map: ReadonlyMap<string, T>, ids: readonly string[]): ReadonlyMap<string, T> {
  return new Map(
    ids.flatMap((id): [string, T][] => {
      const value = map.get(id);
      return value === undefined ? [] : [[id, value]];
    }),
  );
}
