import type { Card, NewCard } from '../src/domain/card.js';
import { byPerspective } from '../src/domain/perspective.js';
import type { Generation, IndexedCard } from '../src/domain/ports/ledger.js';
import type { Embedder } from '../src/domain/ports/models.js';
import type { Scorer } from '../src/domain/ports/scoring.js';
import type { CardFilter, SearchRequest } from '../src/domain/search.js';
import { atOnce } from '../src/domain/steps.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { LexicalIndex } from '../src/lexical/lexical-index.js';
import { type Analyse, analyserOf } from '../src/lexical/terms.js';
import { BuiltinEmbedder } from '../src/models/builtin.js';
import { ThisThread } from '../src/scoring/score-pass.js';
import { Engine } from '../src/search/engine.js';
import { BUILTIN_SETTINGS, requestBy } from '../src/search/profile.js';
import { Homophones } from '../src/search/query/homophones.js';
import { Vocabulary } from '../src/search/query/vocabulary.js';
import { createRetrievers } from '../src/search/retrieve.js';
import { EnglishWords } from '../src/text/english-words.js';
import { Phrases } from '../src/text/phrases.js';
import { Synonyms } from '../src/text/synonyms.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { WordWeights } from '../src/text/word-weights.js';
import { SparseColumns } from '../src/vectors/columns.js';
import type { PackedVectors } from '../src/vectors/packed.js';
import { vectorsOf } from './card-vectors.js';

const GENERATION: Generation = { tenantId: DEFAULT_VIEWER.tenantId, number: 1, modelKey: 'builtin', state: 'live' };

const EVERY_CARD = Number.POSITIVE_INFINITY;

const tokenizer = new Tokenizer();
const builtin = new BuiltinEmbedder(tokenizer, new WordWeights());
const phrases = new Phrases(tokenizer);
const synonyms = new Synonyms(phrases);
const homophones = new Homophones(tokenizer);

export interface MemoryWorld {
  readonly engine: Engine;
  readonly index: LexicalIndex;
}

/**
 * The engine as a gateway with the built-in embedder has it, over cards in memory: without servers, every card that
 * matches is scored, as a gateway does with a small notebook. Each card has an id.
 */
export async function memoryEngine(given: readonly NewCard[]): Promise<Engine> {
  return (await memoryWorld(given, { hasColumns: false })).engine;
}

interface MemoryWorldOptions {
  /** With columns the best of all cards are retrieved first, by the scorer, as in a large notebook. */
  readonly hasColumns: boolean;
  /** In this thread by default. */
  readonly scorer?: Scorer;
  /** Other terms of texts. */
  readonly analyse?: Analyse;
  /** The built-in one by default. */
  readonly embedder?: Embedder;
}

/** The same with its index. */
export async function memoryWorld(
  given: Iterable<NewCard> | AsyncIterable<NewCard>,
  { hasColumns, scorer = new ThisThread(), analyse, embedder = builtin }: MemoryWorldOptions,
): Promise<MemoryWorld> {
  const cards = new Map<string, Card>();
  const index = new LexicalIndex(analyse ?? analyserOf(tokenizer));
  const columns = new SparseColumns();
  const vectors = new Map<string, PackedVectors>();
  const indexed = new Map<string, IndexedCard>();
  for await (const one of given) {
    const card = stored(one);
    cards.set(card.id, card);
    index.set(card);
    const { passages, packed } = await vectorsOf(card, embedder);
    vectors.set(card.id, packed);
    columns.set(card.id, packed);
    const hashes = byPerspective((perspective) => passages[perspective].map(({ contentHash }) => contentHash));
    indexed.set(card.id, { revision: card.revision, indexedAt: card.updatedAt, passages: hashes });
  }
  const engine = new Engine({
    cards: { byIds: async (_viewer, ids) => among(cards, ids), mergedInto: async () => new Map() },
    filters: {
      // Every card is indexed with its current revision.
      matching: async (_viewer, _filter, _generation, ids) =>
        new Map([...among(cards, ids)].map(([id, card]) => [id, { card, indexedRevision: card.revision }])),
    },
    ledger: {
      cards: async (_tenantId, ids) => among(cards, ids),
      live: async () => GENERATION,
      counts: async () => ({ cards: cards.size, indexed: cards.size, pending: 0, failed: 0 }),
      indexed: async (_tenantId, _generation, ids) => among(indexed, ids),
    },
    embedders: { of: () => embedder, current: embedder },
    reranker: null,
    indexes: { of: async () => index },
    retrievers: createRetrievers({
      vectorStore: { nearest: async () => [] },
      vectors: { columns: () => (hasColumns ? columns : null) },
      scorer,
      alone: true,
      exactLimit: EVERY_CARD,
      onLane: () => undefined,
      log: { warn: () => undefined },
    }),
    stored: {
      of: async (_tenantId, _generation, wanted) => ({ vectors: among(vectors, [...wanted.keys()]), failure: null }),
    },
    vocabularies: {
      of: async () => atOnce(Vocabulary.read([], { phrases, synonyms })),
    },
    english: new EnglishWords(),
    homophones,
    log: { warn: () => undefined },
  });
  return { engine, index };
}

/** A `hybridSearch` by a text with the default settings, of which every candidate is similar enough to be a hit. */
export function searchFor(text: string, topK: number, filter: CardFilter = {}): SearchRequest {
  const settings = { ...BUILTIN_SETTINGS, thresholdSteps: [0] };
  return requestBy(settings, { operation: 'hybridSearch', subject: { kind: 'text', text }, filter }, topK);
}

export function stored(card: NewCard): Card {
  const { tenantId, ownerId } = DEFAULT_VIEWER;
  const at = card.occurredAt;
  return { ...card, id: `${card.id}`, tenantId, ownerId, revision: 1, occurrences: 1, createdAt: at, updatedAt: at };
}

export function among<T>(map: ReadonlyMap<string, T>, ids: readonly string[]): ReadonlyMap<string, T> {
  return new Map(
    ids.flatMap((id): [string, T][] => {
      const value = map.get(id);
      return value === undefined ? [] : [[id, value]];
    }),
  );
}
