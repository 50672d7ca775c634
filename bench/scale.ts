/**
 * What do many tenants, or large ones, cost at a start, at their first search and in memory?
 *
 *     npm run bench -- scale [--tenants 200] [--cards 200] [--asked 100] [--limit-mb 1024]
 *
 * Without servers: writes the snapshots and the vector cache of `--tenants` tenants with the same `--cards` generated
 * cards, as a stopped gateway leaves them. Then, as at its next start: opening the cache, the first and a second search
 * of each of `--asked` tenants, the memory of the indexes under INDEX_MEMORY_MB = `--limit-mb`, and their size on disk.
 * A stub replaces PostgreSQL, from which a load only reads the versions of the cards. On a busy machine read the
 * processor time; it includes writing the snapshots of unloaded tenants.
 *
 * A million cards in one tenant need a larger heap, for the stub:
 *
 *     node --max-old-space-size=16000 dist/bench/scale.js --tenants 1 --cards 1000000 --asked 1 --limit-mb 8192
 */
import { join } from 'node:path';
import { NO_FOREGROUND } from '../src/domain/background.js';
import type { Generation } from '../src/domain/ports/ledger.js';
import { nextTurn } from '../src/domain/steps.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { SnapshotSaver } from '../src/indexing/save-snapshots.js';
import { TenantIndexes } from '../src/indexing/tenant-indexes.js';
import { LexicalIndex } from '../src/lexical/lexical-index.js';
import { SnapshotFiles } from '../src/lexical/snapshots/snapshot-files.js';
import { analyserOf } from '../src/lexical/terms.js';
import { BuiltinEmbedder } from '../src/models/builtin.js';
import { ThisThread } from '../src/scoring/score-pass.js';
import { createSearch } from '../src/search/create-search.js';
import { BUILTIN_SETTINGS, requestBy } from '../src/search/profile.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { WordWeights } from '../src/text/word-weights.js';
import { LmdbVectorCache } from '../src/vectors/cache.js';
import type { PackedVectors } from '../src/vectors/packed.js';
import { StoredVectors } from '../src/vectors/stored.js';
import { vectorsOf } from './card-vectors.js';
import { temporaryFolder } from './gateway.js';
import { percentile } from './measure.js';
import { among, stored } from './memory-engine.js';
import { notebook } from './notebook.js';
import { collectGarbage, folderSize } from './resources.js';
import { benchmark, type Run, range, readOptions } from './run.js';

const options = readOptions({ tenants: 200, cards: 200, asked: 100, 'limit-mb': 1024 });
const TENANTS = options.tenants;
const ASKED = Math.min(TENANTS, options.asked);
const LIMIT_MB = options['limit-mb'];
const TOP_K = 10;
/** As VECTOR_CACHE_MB is by default. */
const CACHE_BYTES = 32 * 2 ** 20;
const MIB = 2 ** 20;

const tokenizer = new Tokenizer();
const analyse = analyserOf(tokenizer);
const embedder = new BuiltinEmbedder(tokenizer, new WordWeights());
const cards = new Map(notebook(options.cards).map((card) => [String(card.id), stored(card)]));
const texts = notebook(ASKED, 2).map(({ questionText }) => questionText);
const nobody = { info: () => undefined, warn: () => undefined };

const tenantOf = (place: number): string => `school-${place}`;
const generationOf = (tenantId: string): Generation => ({ tenantId, number: 1, modelKey: 'builtin', state: 'live' });

/** What a gateway leaves on disk. */
async function leave(run: Run, store: SnapshotFiles, folder: string): Promise<void> {
  const index = new LexicalIndex(analyse);
  const vectors = new Map<string, PackedVectors>();
  for await (const card of run.each('indexing', 'cards', [...cards.values()])) {
    index.set(card);
    vectors.set(card.id, (await vectorsOf(card, embedder)).packed);
  }
  const snapshot = index.snapshot();
  const cache = new LmdbVectorCache(folder, CACHE_BYTES);
  cache.open();
  for await (const place of run.each('writing', 'tenants', range(TENANTS))) {
    await store.write(tenantOf(place), snapshot);
    await cache.put(tenantOf(place), 1, vectors);
  }
  await cache.close();
}

/** In MiB, of what is in use: the heap, and arrays outside of it. */
async function memory(): Promise<number> {
  // Arrays are freed some turns after what held them.
  for (let turn = 0; turn < 5; turn++) {
    collectGarbage();
    await nextTurn();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / MIB;
}

function openEngine(cache: LmdbVectorCache, store: SnapshotFiles) {
  const versions = new Map(
    [...cards].map(([id, { revision, updatedAt }]) => [id, { revision, updatedAtMs: updatedAt.getTime() }]),
  );
  const revisions = new Map([...cards].map(([id, { revision }]) => [id, revision]));
  const ledger = {
    cards: async (_tenantId: string, ids: readonly string[]) => among(cards, ids),
    live: async (tenantId: string) => generationOf(tenantId),
    counts: async () => ({ cards: cards.size, indexed: cards.size, pending: 0, failed: 0 }),
    indexed: async () => new Map(),
    generations: async () => [],
    versions: async () => versions,
    revisions: async () => revisions,
  };
  const saver = new SnapshotSaver({ open: () => tenants.open, store, log: nobody });
  const tenants: TenantIndexes<LexicalIndex> = new TenantIndexes({
    newIndex: () => new LexicalIndex(analyse),
    ...{ ledger, sharedCache: null, columns: cache, store, log: nobody },
    release: (tenantId, index) => saver.release(tenantId, index),
    limitBytes: LIMIT_MB * MIB,
  });
  const vectorStore = { nearest: async () => [], read: async () => new Map() };
  const { engine } = createSearch({
    ...{ ledger, tenants, tokenizer, analyse, vectorStore, log: nobody },
    cards: { byIds: async (_viewer, ids) => among(cards, ids), mergedInto: async () => new Map() },
    filters: {
      matching: async (_viewer, _filter, _generation, ids) =>
        new Map([...among(cards, ids)].map(([id, card]) => [id, { card, indexedRevision: card.revision }])),
    },
    embedders: { of: () => embedder, current: embedder },
    labels: { changes: 0, described: async () => [] },
    reranker: null,
    chat: null,
    stored: new StoredVectors(cache, vectorStore, ledger),
    vectors: cache,
    background: NO_FOREGROUND,
    scorer: new ThisThread(),
    alone: true,
    exactLimit: Number.POSITIVE_INFINITY,
    onLane: () => undefined,
    onOwnerIndex: () => undefined,
  });
  return { engine, tenants };
}

await benchmark(async (run) => {
  const folder = await temporaryFolder(run.closers);
  const store = new SnapshotFiles({ folder: join(folder, 'words'), buildHash: 'bench', log: nobody });
  await leave(run, store, join(folder, 'vectors'));
  const cache = new LmdbVectorCache(join(folder, 'vectors'), CACHE_BYTES);
  run.closers.add('vector cache', () => cache.close());
  const before = await memory();
  const started = performance.now();
  cache.open();
  const { engine, tenants } = openEngine(cache, store);
  const startMs = performance.now() - started;
  const search = async (place: number): Promise<number> => {
    const subject = { kind: 'text' as const, text: texts[place] ?? '' };
    const request = requestBy(BUILTIN_SETTINGS, { operation: 'hybridSearch', subject, filter: {} }, TOP_K);
    const asked = performance.now();
    await engine.search({ ...DEFAULT_VIEWER, tenantId: tenantOf(place) }, request, run.signal);
    return performance.now() - asked;
  };
  const first: number[] = [];
  const cpuBefore = process.cpuUsage();
  for await (const place of run.each('first searches', 'tenants', range(ASKED))) first.push(await search(place));
  const { user, system } = process.cpuUsage(cpuBefore);
  const inMemory = tenants.open.size;
  const tookMb = (await memory()) - before;
  const again: number[] = [];
  // The last one first: those that are in memory are asked before they leave.
  for await (const place of run.each('second searches', 'tenants', range(ASKED))) {
    again.push(await search(ASKED - 1 - place));
  }
  await tenants.close();
  run.report('scale', [
    {
      tenants: TENANTS,
      'cards each': cards.size,
      'start, ms': startMs,
      asked: ASKED,
      'first search p50, ms': percentile(first, 0.5),
      p95: percentile(first, 0.95),
      most: Math.max(...first),
      'its processor time, ms': (user + system) / 1_000 / ASKED,
      'second p50, ms': percentile(again, 0.5),
      'second p95': percentile(again, 0.95),
      'tenants in memory': inMemory,
      'memory, MiB': tookMb,
      'snapshot of each, MiB': (await folderSize(join(folder, 'words'))) / MIB / TENANTS,
      'vectors of each on disk, MiB': (await folderSize(join(folder, 'vectors'))) / MIB / TENANTS,
      'limit, MiB': LIMIT_MB,
    },
  ]);
});
