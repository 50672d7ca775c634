import { describe, expect, test, vi } from 'vitest';
import { byPerspective } from '../../../src/domain/perspective.js';
import type { VectorStore } from '../../../src/domain/ports/collections.js';
import type { Generation, IndexedCard, IndexLedger } from '../../../src/domain/ports/ledger.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { Generations } from '../../../src/indexing/generations.js';
import { IndexService } from '../../../src/indexing/index-service.js';
import { literalEmbedder, literalModel, memoryCache, sourceOf } from '../../support/memory-ports.js';

const live: Generation = { tenantId: 'default', number: 1, modelKey: literalModel, state: 'live' };

/** A service whose ledger says of card `a`, now in revision 2, whatever `revision` is, each time that it is asked. */
function serviceOf({ revision, generation = live }: { revision: () => number | null; generation?: Generation | null }) {
  const listeners = new Set<() => void>();
  let asked = 0;
  const ledger: Pick<
    IndexLedger,
    'live' | 'indexed' | 'states' | 'counts' | 'progress' | 'generations' | 'expectedRecords' | 'startGeneration'
  > = {
    live: async () => generation,
    indexed: async () => {
      asked += 1;
      const found = revision();
      const entry = (known: number): IndexedCard => {
        return { revision: known, indexedAt: new Date(0), passages: byPerspective(() => []) };
      };
      return found === null ? new Map() : new Map([['a', entry(found)]]);
    },
    states: async () => {
      asked += 1;
      const indexedRevision = revision();
      const state = indexedRevision !== null && indexedRevision >= 2 ? 'INDEXED' : 'PENDING';
      return new Map([['a', { state, indexedRevision, indexedAt: null, perspectives: [], lastError: null }]]);
    },
    progress: async () => ({ held: 2, cards: 3 }),
    counts: async () => ({ cards: 3, indexed: 2, pending: 1, failed: 0 }),
    generations: async () => (generation === null ? [] : [generation]),
    expectedRecords: async () => 0,
    startGeneration: async (tenantId, modelKey, options) => {
      const begun: Generation = { tenantId, number: 2, modelKey, state: 'building' };
      await options?.prepare?.(begun);
      return { generation: begun, isNew: true };
    },
  };
  const created: number[] = [];
  const counted: string[] = [];
  const vectorStore: Pick<VectorStore, 'count' | 'create' | 'drop' | 'probe' | 'isNearlyFull'> = {
    count: async ({ perspective }) => {
      counted.push(perspective);
      return perspective.length;
    },
    create: async ({ number }) => void created.push(number),
    drop: async () => undefined,
    probe: async () => undefined,
    isNearlyFull: async () => false,
  };
  const generations = new Generations({
    ledger: ledger as IndexLedger,
    chromaAboveCards: 0,
    vectorStore,
    cache: memoryCache(),
    embedders: sourceOf(literalEmbedder),
    log: { info: () => undefined, warn: () => undefined },
  });
  let hurried = 0;
  const indexer = {
    hurry: () => {
      hurried += 1;
    },
    onBatch(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const reconciliation = { last: () => null };
  const service = new IndexService({
    ledger: ledger as IndexLedger,
    vectorStore,
    generations,
    embedders: sourceOf(literalEmbedder),
    indexer,
    reconciliation,
  });
  const endBatch = (): void => {
    for (const listener of listeners) listener();
  };
  return { service, endBatch, listeners, created, counted, asked: () => asked, hurried: () => hurried };
}

/** Runs with the clock of timers standing still: asking again after a while never comes. */
async function withoutTime(run: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  try {
    await run();
  } finally {
    vi.useRealTimers();
  }
}

describe('IndexService.waitFor', () => {
  test('resolves at once if the index has the revision or a newer one', async () => {
    for (const revision of [2, 3]) {
      const { service, asked } = serviceOf({ revision: () => revision });
      await service.waitFor(DEFAULT_VIEWER, 'a', 2, 60_000);
      expect(asked()).toBe(1);
    }
  });

  test('resolves at once for a deleted card that is in no index, even without any index', async () => {
    await serviceOf({ revision: () => null }).service.waitFor(DEFAULT_VIEWER, 'a', null, 60_000);
    await serviceOf({ revision: () => 1, generation: null }).service.waitFor(DEFAULT_VIEWER, 'a', null, 60_000);
  });

  test('ends the pause of the indexer each time that the card is not indexed yet', async () => {
    let revision = 0;
    const { service, endBatch, hurried } = serviceOf({ revision: () => revision });
    const waiting = service.waitFor(DEFAULT_VIEWER, 'a', 2, 60_000);
    for (const batch of [1, 2]) {
      while (hurried() < batch) await new Promise(setImmediate);
      revision = batch;
      endBatch();
    }
    await waiting;
    expect(hurried()).toBe(2);
  });

  test('notices a batch that ends between the check and the wait', async () => {
    let revision = 1;
    const { service, endBatch } = serviceOf({
      revision: () => {
        const answer = revision;
        // The batch ends while the ledger's old answer is on its way.
        revision = 2;
        endBatch();
        return answer;
      },
    });
    await withoutTime(() => service.waitFor(DEFAULT_VIEWER, 'a', 2, 60_000));
  });

  test('checks again after each batch until the card is indexed', async () => {
    let revision: number | null = null;
    const { service, endBatch, asked } = serviceOf({ revision: () => revision });
    const waiting = service.waitFor(DEFAULT_VIEWER, 'a', 2, 60_000);
    while (asked() < 1) await new Promise(setImmediate);
    endBatch();
    while (asked() < 2) await new Promise(setImmediate);
    revision = 2;
    endBatch();
    await waiting;
    expect(asked()).toBe(3);
  });

  test('notices cards indexed by another gateway, without its own batch', async () => {
    let revision: number | null = 5;
    const { service, asked } = serviceOf({ revision: () => revision });
    const waiting = service.waitFor(DEFAULT_VIEWER, 'a', null, 60_000);
    while (asked() < 1) await new Promise(setImmediate);
    revision = null;
    await waiting;
  });

  test('gives up at its deadline, and leaves no listener behind', async () => {
    const { service, listeners } = serviceOf({ revision: () => 1 });
    const started = performance.now();
    await withoutTime(() => service.waitFor(DEFAULT_VIEWER, 'a', 2, 50));
    expect(performance.now() - started).toBeGreaterThanOrEqual(45);
    expect(listeners.size).toBe(0);
  });
});

describe('IndexService', () => {
  test('returns the state of the index, with the records of each live collection', async () => {
    const { service, counted } = serviceOf({ revision: () => 1 });
    const { collections, ...status } = await service.status(DEFAULT_VIEWER);
    // Who polls for what is pending need not wait for Chroma.
    expect(counted).toEqual([]);
    expect({ ...status, collections: await collections() }).toEqual({
      cards: 3,
      indexed: 2,
      pending: 1,
      failed: 0,
      model: literalModel,
      building: false,
      reconciliation: null,
      next: null,
      collections: [
        { perspective: 'question', records: 8 },
        { perspective: 'solution', records: 8 },
        { perspective: 'concept', records: 7 },
        { perspective: 'error', records: 5 },
      ],
    });
  });

  test('returns the progress of the building generation', async () => {
    const { service } = serviceOf({ revision: () => 1, generation: { ...live, state: 'building' } });
    expect(await service.status(DEFAULT_VIEWER)).toMatchObject({
      building: true,
      next: { model: literalModel, held: 2, cards: 3 },
    });
  });

  test('names the model that will be used, and no collections, before the first card', async () => {
    const { service } = serviceOf({ revision: () => null, generation: null });
    const status = await service.status(DEFAULT_VIEWER);
    expect(status).toMatchObject({ model: literalModel, building: false });
    expect(await status.collections()).toEqual([]);
  });

  test('starts rebuilding the index with new collections', async () => {
    const { service, created } = serviceOf({ revision: () => 1 });
    await service.rebuild(DEFAULT_VIEWER);
    expect(created).toEqual([2]);
  });
});
