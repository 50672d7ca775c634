import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChromaConnection } from '../../../chroma/client.js';
import { ChromaCollections } from '../../../chroma/collections.js';
import { ChromaVectors } from '../../../chroma/vectors.js';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresIndexAudit } from '../../../prisma/indexing/audit.js';
import { PostgresVectors } from '../../../prisma/indexing/index-vectors.js';
import { installationId } from '../../../prisma/installation.js';
import { NO_FOREGROUND } from '../../../src/domain/background.js';
import type { CardChange, NewCard } from '../../../src/domain/card.js';
import type { VectorStore } from '../../../src/domain/ports/collections.js';
import type { SearchEngine } from '../../../src/domain/ports/gateway.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { Generations } from '../../../src/indexing/generations.js';
import { Indexer, type IndexerParts } from '../../../src/indexing/indexer.js';
import { analyserOf } from '../../../src/lexical/terms.js';
import { BuiltinEmbedder } from '../../../src/models/builtin.js';
import { ThisThread } from '../../../src/scoring/score-pass.js';
import { createSearch } from '../../../src/search/create-search.js';
import { Tokenizer } from '../../../src/text/tokenizer.js';
import { WordWeights } from '../../../src/text/word-weights.js';
import { LmdbVectorCache } from '../../../src/vectors/cache.js';
import { StoredVectors } from '../../../src/vectors/stored.js';
import { vectorStores } from '../../../src/vectors/vector-stores.js';
import { LexicalIndexes } from '../../support/lexical-indexes.js';
import { sourceOf } from '../../support/memory-ports.js';
import { until } from '../../support/until.js';
import { NO_VOCABULARY } from '../../support/vocabulary.js';
import { admin, type Fixture, newCard, openFixture } from '../../unit/prisma/fixture.js';

/** The write and the read path of one gateway, without its process, on a real PostgreSQL and a real Chroma. */
export interface World extends Fixture {
  readonly viewer: Viewer;
  readonly chroma: ChromaConnection;
  readonly collections: ChromaCollections;
  readonly inChroma: VectorStore;
  readonly inPostgres: VectorStore;
  /** Wherever a generation's vectors are. */
  readonly vectorStore: VectorStore;
  readonly audit: PostgresIndexAudit;
  readonly cache: LmdbVectorCache;
  readonly embedder: BuiltinEmbedder;
  readonly lexical: LexicalIndexes;
  readonly generations: Generations;
  readonly engine: SearchEngine;
  readonly lines: string[];
  /** What an indexer is made of; a test wraps some of it. */
  readonly parts: IndexerParts;
  /** Runs an indexer of these parts, or of others, until nothing is due and the index is live. */
  settle(parts?: IndexerParts): Promise<void>;
  create(id: string, over?: Partial<NewCard>): Promise<void>;
  update(id: string, change: CardChange): Promise<void>;
  remove(id: string): Promise<void>;
}

/** A word of its own for each number, of letters alone: digits would be tokens that cards share. */
export function wordOf(place: number): string {
  return [...String(place).padStart(4, '0')]
    .map((digit) => ['ba', 'ko', 'zi', 'tu', 'pe', 'xo', 'ju', 'wi', 'le', 'fy'][Number(digit)])
    .join('');
}

/** The texts of a card that no other card shares. */
export function ownTexts(place: number): Partial<NewCard> {
  const word = wordOf(place);
  return {
    questionText: `${word} shares how many apples?`,
    studentSolutionText: `${word} minus two`,
    goldSolutionBrief: null,
    topicTags: [`sharing ${word}`],
    errorTypes: [`sign of ${word}`],
  };
}

const CACHE_BYTES = 2 ** 24;

/** Read from the disk once for all worlds of a file. */
const tokenizer = new Tokenizer();
const weights = new WordWeights();

/**
 * @param chromaUrl another server than the one that the tests share.
 * @param chromaAboveCards a tenant of no more cards has its vectors in PostgreSQL; 0: in Chroma.
 */
export async function openWorld(chromaUrl?: () => string, chromaAboveCards = 0): Promise<World> {
  const fixture = await openFixture();
  const { database, cards, ledger, outbox, dirty, filters } = fixture;
  const viewer = admin(`tenant-${randomUUID()}`);
  const chroma = new ChromaConnection(chromaUrl ?? (() => String(process.env.TEST_CHROMA_URL)));
  const collections = new ChromaCollections(chroma, await installationId(database));
  const inChroma = new ChromaVectors(collections);
  const inPostgres = new PostgresVectors(database);
  const vectorStore = vectorStores({ inChroma, inPostgres, ledger });
  const folder = await mkdtemp(join(tmpdir(), 'errata-world-'));
  const cache = new LmdbVectorCache(folder, CACHE_BYTES);
  cache.open();
  const embedder = new BuiltinEmbedder(tokenizer, weights);
  const analyse = analyserOf(tokenizer);
  const lexical = new LexicalIndexes(analyse);
  const lines: string[] = [];
  const say = (_facts: object, message: string): void => void lines.push(message);
  const log = { info: say, warn: say, error: say };
  const embedders = sourceOf(embedder);
  const generations = new Generations({
    ledger,
    vectorStore,
    cache,
    embedders,
    chromaAboveCards,
    log,
  });
  const parts: IndexerParts = {
    ledger,
    outbox,
    events: { pollMs: 1_000, onChange: () => () => undefined },
    vectorStore,
    cache,
    lexical,
    generations,
    log,
    onEmbedded: () => undefined,
    background: NO_FOREGROUND,
  };
  const stored = new StoredVectors(cache, vectorStore, ledger);
  const { engine } = createSearch({
    chat: null,
    cards,
    labels: NO_VOCABULARY,
    filters,
    ledger,
    embedders,
    reranker: null,
    vectorStore,
    stored,
    tenants: { load: async (tenantId) => lexical.of(tenantId) },
    // Chroma itself has to find the cards.
    vectors: { columns: () => null },
    scorer: new ThisThread(),
    alone: true,
    exactLimit: Number.POSITIVE_INFINITY,
    analyse,
    tokenizer,
    onLane: () => undefined,
    onOwnerIndex: () => undefined,
    background: NO_FOREGROUND,
    log,
  });
  const pending = async (): Promise<boolean> => {
    const { pending } = await ledger.counts(viewer);
    const all = await ledger.generations();
    return pending > 0 || all.some(({ state }) => state === 'building') || !all.some(({ state }) => state === 'live');
  };
  const dirtyLeft = async (): Promise<boolean> => {
    const rows = await database.query(Prisma.sql`SELECT FROM index_dirty WHERE NOT dead LIMIT 1`);
    return rows.length > 0;
  };
  return {
    ...fixture,
    viewer,
    chroma,
    collections,
    inChroma,
    inPostgres,
    vectorStore,
    audit: new PostgresIndexAudit(database, dirty),
    cache,
    embedder,
    lexical,
    generations,
    engine,
    lines,
    parts,
    settle: async (given = parts) => {
      const indexer = new Indexer(given);
      indexer.start();
      try {
        const done = async (): Promise<boolean> => !(await dirtyLeft()) && !(await pending());
        await until(done, { deadlineMs: 60_000, what: 'the index to be at rest' });
      } finally {
        await indexer.close();
      }
    },
    create: async (id, over = {}) => void (await cards.create(viewer, newCard({ id, ...over }))),
    update: async (id, change) => void (await cards.update(viewer, id, change, null)),
    remove: async (id) => void (await cards.delete(viewer, id)),
    close: async () => {
      for (const generation of await ledger.generations()) await inChroma.drop(generation).catch(() => undefined);
      await chroma.close();
      await cache.close();
      await rm(folder, { recursive: true, force: true });
      await fixture.close();
    },
  };
}
