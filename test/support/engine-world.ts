/** An engine over Maps: its dependencies as literal objects that hold some cards. */
import type { Card } from '../../src/domain/card.js';
import { UnavailableError } from '../../src/domain/errors.js';
import { passagesOf } from '../../src/domain/passages.js';
import { byPerspective, PERSPECTIVES } from '../../src/domain/perspective.js';
import type { MatchingCard } from '../../src/domain/ports/cards.js';
import type { Generation, IndexedCard } from '../../src/domain/ports/ledger.js';
import type { Embedder } from '../../src/domain/ports/models.js';
import type { Scorer } from '../../src/domain/ports/scoring.js';
import type { ComparableVectors } from '../../src/domain/ports/vectors.js';
import type { CardFilter, SearchRequest } from '../../src/domain/search.js';
import type { SearchResult } from '../../src/domain/search-result.js';
import { DEFAULT_VIEWER } from '../../src/domain/viewer.js';
import { ThisThread } from '../../src/scoring/score-pass.js';
import { Engine, type EngineParts } from '../../src/search/engine.js';
import type { SynonymSource } from '../../src/search/query/named-labels.js';
import { createRetrievers } from '../../src/search/retrieve.js';
import type { ChromaRetrieverParts } from '../../src/search/retrievers/chroma.js';
import { SparseColumns } from '../../src/vectors/columns.js';
import { PackedVectors } from '../../src/vectors/packed.js';
import { LexicalIndexes } from './lexical-indexes.js';
import { among, literalEmbedder, literalModel, literalWords, memoryIndex, sourceOf, vectorOf } from './memory-ports.js';
import { HOMOPHONES, vocabularyOf } from './vocabulary.js';

/** The live generation of every world, unless it says otherwise. */
export const live: Generation = { tenantId: 'default', number: 1, modelKey: literalModel, state: 'live' };

/** What there is, and what is wrong with it. */
export interface World {
  readonly cards: readonly Card[];
  /** Stored, and not indexed yet. */
  readonly pending?: readonly Card[];
  /** Indexed, and deleted since. */
  readonly deleted?: readonly string[];
  /** The cards into which others were merged, by the ids of those. */
  readonly merged?: Readonly<Record<string, string>>;
  readonly generation?: Generation | null;
  readonly embedder?: Embedder;
  /** The vector of a text; without it, one that is unlike that of any other text. */
  readonly vectorOf?: (text: string) => Float32Array;
  /** As with a SEARCH_EXACT_LIMIT of 0: the lanes are asked, however few cards match. */
  readonly neverExact?: boolean;
  readonly vectorStore?: ChromaRetrieverParts['vectorStore'];
  /** The cards of the lexical index, if another gateway has changed them since. */
  readonly knownAs?: readonly Card[];
  /** Indexed, but their vectors cannot be read. */
  readonly unreadable?: readonly string[];
  readonly synonyms?: SynonymSource;
  /** Whether vectors are in columns, so that exact retrieval is possible. */
  readonly columns?: boolean;
  /** Whether this is the only gateway on the database. */
  readonly alone?: boolean;
  /** Runs the passes over all cards; in the test's own thread by default. */
  readonly scorer?: Scorer;
  /** SEARCH_EXACT_LIMIT; no limit by default. */
  readonly exactLimit?: number;
  readonly reranker?: EngineParts['reranker'];
  readonly onLane?: ChromaRetrieverParts['onLane'];
}

/** Whether a card matches a filter of these worlds, which knows few fields. */
export function matchesFilter(filter: CardFilter, card: Card): boolean {
  return (
    (filter.subject?.includes(card.subject) ?? true) &&
    card.difficulty >= (filter.difficultyMin ?? 1) &&
    !(filter.excludeCardIds?.includes(card.id) ?? false)
  );
}

/** Dependencies of an Engine over these cards. */
export async function partsOf(world: World): Promise<EngineParts> {
  const { cards, pending = [], deleted = [], unreadable = [], generation = live } = world;
  const toVector = world.vectorOf ?? vectorOf;
  const embedder: Embedder = {
    ...literalEmbedder,
    embed: async (texts, _kind, _perspective, signal) => {
      signal.throwIfAborted();
      return texts.map(toVector);
    },
  };
  const index = memoryIndex();
  const indexed = new Map<string, IndexedCard>();
  const vectors = new Map<string, ComparableVectors>();
  const columns = new SparseColumns();
  for (const card of cards) {
    const passages = passagesOf(card, literalEmbedder);
    const stored = byPerspective((perspective) => passages[perspective].map(({ text }) => toVector(text)));
    for (const perspective of PERSPECTIVES) {
      const records = passages[perspective].map(({ contentHash }, passage) => {
        return { card, passage, contentHash, vector: stored[perspective][passage] ?? null };
      });
      await index.upsert({ tenantId: 'default', generation: 1, perspective }, records);
    }
    const hashes = byPerspective((perspective) => passages[perspective].map(({ contentHash }) => contentHash));
    indexed.set(card.id, { revision: card.revision, indexedAt: card.updatedAt, passages: hashes });
    const packed = PackedVectors.of({ revision: card.revision, passages: stored });
    vectors.set(card.id, packed);
    columns.set(card.id, packed);
  }
  const lexical = new LexicalIndexes(literalWords);
  lexical.set('default', world.knownAs ?? cards);
  const store = new Map([...cards, ...pending].map((card) => [card.id, card]));
  for (const id of deleted) store.delete(id);
  const merged = new Map(Object.entries(world.merged ?? {}).map(([id, into]) => [id, store.get(into) as Card]));
  const nowOf = (id: string): string => (store.has(id) ? id : (merged.get(id)?.id ?? id));
  const matching = (filter: CardFilter): ReadonlyMap<string, MatchingCard> => {
    const found = cards
      .filter(({ id }) => store.has(id))
      .map((card) => ({ card: store.get(card.id) as Card, indexedRevision: card.revision }));
    const now = { ...filter, excludeCardIds: filter.excludeCardIds?.map(nowOf) ?? [] };
    return new Map(found.filter(({ card }) => matchesFilter(now, card)).map((one) => [one.card.id, one]));
  };
  return {
    cards: { byIds: async (_viewer, ids) => among(store, ids), mergedInto: async (_viewer, ids) => among(merged, ids) },
    log: { warn: () => undefined },
    filters: { matching: async (_viewer, filter, _generation, ids) => among(matching(filter), ids) },
    ledger: {
      cards: async (_tenantId, ids) => among(store, ids),
      live: async () => generation,
      counts: async () => ({ cards: store.size, indexed: store.size, pending: 0, failed: 0 }),
      indexed: async (_tenantId, _generation, ids) => among(indexed, ids),
    },
    embedders: sourceOf(world.embedder ?? embedder),
    reranker: world.reranker ?? null,
    indexes: { of: async ({ tenantId }) => lexical.of(tenantId) },
    retrievers: createRetrievers({
      vectorStore: world.vectorStore ?? index,
      vectors: { columns: () => (world.columns ? columns : null) },
      scorer: world.scorer ?? new ThisThread(),
      alone: world.alone ?? false,
      exactLimit: world.neverExact ? 0 : (world.exactLimit ?? Number.POSITIVE_INFINITY),
      onLane: world.onLane ?? (() => undefined),
      log: { warn: () => undefined },
    }),
    stored: {
      of: async (_tenantId, _generation, wanted) => ({
        vectors: among(
          vectors,
          [...wanted.keys()].filter((id) => !unreadable.includes(id)),
        ),
        failure: unreadable.length > 0 ? new UnavailableError('chroma', 'no answer') : null,
      }),
    },
    vocabularies: { of: async () => vocabularyOf(world.synonyms) },
    english: { has: () => false },
    homophones: HOMOPHONES,
  };
}

/** Searches a world for the default viewer. */
export async function searchIn(
  world: World,
  request: SearchRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<SearchResult> {
  return new Engine(await partsOf(world)).search(DEFAULT_VIEWER, request, signal);
}

/** The ids of the hits, best first. */
export function idsIn({ hits }: SearchResult): readonly string[] {
  return hits.map(({ card }) => card.id);
}
