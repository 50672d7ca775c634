import { describe, expect, test } from 'vitest';
import { Closers, delay } from '../../../src/domain/async.js';
import { NO_FOREGROUND } from '../../../src/domain/background.js';
import { UnavailableError } from '../../../src/domain/errors.js';
import type { Generation, GenerationFilter } from '../../../src/domain/ports/ledger.js';
import { createIndexing, type IndexingParts } from '../../../src/indexing/create-indexing.js';
import { ModelChange } from '../../../src/indexing/model-change.js';
import { ReconciliationLoop, type ReconciliationLoopParts } from '../../../src/indexing/reconciliation-loop.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { deferred } from '../../support/deferred.js';
import {
  literalEmbedder,
  literalModel,
  literalWords,
  memoryCache,
  memoryIndex,
  sourceOf,
} from '../../support/memory-ports.js';
import { until } from '../../support/until.js';

const TENANTS = 5_000;
const { signal } = new AbortController();
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const all: readonly Generation[] = ['default', ...Array.from({ length: TENANTS }, (_, place) => `school-${place}`)].map(
  (tenantId) => ({ tenantId, number: 1, modelKey: literalModel, state: 'live' }),
);

describe('a gateway of thousands of tenants', () => {
  test('starts with calls to Chroma and statements for the default tenant alone', async () => {
    const probed: string[] = [];
    const read: GenerationFilter[] = [];
    const probe = async ({ tenantId }: Generation) => void probed.push(tenantId);
    const closers = new Closers();
    try {
      await createIndexing(partsOf({ probe, read })).start(closers, signal);
      expect(probed).toEqual(['default']);
      const ofMany = read.filter(({ tenantId, notOfModel }) => tenantId === undefined && notOfModel === undefined);
      expect(ofMany).toEqual([]);
    } finally {
      await closers.close();
    }
  });

  test('probes no generation whose vectors are in PostgreSQL', async () => {
    const probed: string[] = [];
    const probe = async ({ tenantId }: Generation) => void probed.push(tenantId);
    const places = [true, undefined, false];
    const generations = places.map((inChroma) => ({ ...all[0], tenantId: `${inChroma}`, inChroma }) as Generation);
    await createIndexing(partsOf({ probe, generations })).generations.verify();
    expect(probed).toEqual(['true', 'undefined']);
  });

  test.each([
    ['its collections are probed', literalModel],
    ['its model is changed', 'earlier'],
  ])('a start that is given up while Chroma hangs and %s ends at once', async (_name, modelKey) => {
    const stopping = new AbortController();
    const { promise: isCalled, resolve } = deferred();
    const hanging = (): Promise<never> => {
      resolve();
      return new Promise(() => undefined);
    };
    const probe = modelKey === literalModel ? hanging : async () => undefined;
    const closers = new Closers();
    const parts = partsOf({ probe, startGeneration: hanging, generations: [{ ...all[0], modelKey } as Generation] });
    const start = createIndexing(parts).start(closers, stopping.signal);
    await isCalled;
    stopping.abort(new Error('the start is given up'));
    await expect(start).rejects.toThrow('given up');
    await closers.close();
  });

  test('changes the model of the first tenant before it answers, and of the others after a failure too', async () => {
    const adopted: string[] = [];
    let failures = 1;
    const generations = {
      outdated: async () => ['a', 'default', 'b'],
      adopt: async (tenantId: string) => {
        if (tenantId === 'b' && failures-- > 0) throw new Error('Chroma is away');
        adopted.push(tenantId);
      },
    };
    const change = new ModelChange({ generations, log: silent });
    await change.start('default');
    expect(adopted[0]).toBe('default');
    await until(() => adopted.length === 3, { deadlineMs: 30_000, what: 'the models of all tenants to be changed' });
    expect(adopted).toEqual(['default', 'a', 'b']);
    await change.close();
  });

  test('a tenant whose model cannot be changed does not keep the others waiting', async () => {
    const adopted: string[] = [];
    const generations = {
      outdated: async () => ['a', 'b', 'c'],
      adopt: async (tenantId: string) => {
        if (tenantId === 'a') throw new Error('it cannot be changed');
        adopted.push(tenantId);
      },
    };
    const change = new ModelChange({ generations, log: silent });
    await change.start('default');
    await until(() => adopted.length === 2, { deadlineMs: 30_000, what: 'the models of the others to be changed' });
    expect(adopted).toEqual(['b', 'c']);
    await change.close();
  });

  test('is compared with PostgreSQL in parts, each tenant once before any is compared again', async () => {
    const compared: string[] = [];
    const loop = loopOver(['c', 'a', 'e', 'b', 'd'], 20, async (tenantId) => {
      compared.push(tenantId);
      await delay(15);
    });
    for (let pass = 0; compared.length < 10 && pass < 10; pass++) {
      const before = compared.length;
      await loop.pass();
      expect(compared.length - before).toBeLessThanOrEqual(2);
    }
    expect(compared.slice(0, 10)).toEqual(['a', 'b', 'c', 'd', 'e', 'a', 'b', 'c', 'd', 'e']);
  });

  test('a tenant that cannot be compared does not keep the others from it', async () => {
    const loop = loopOver(['a', 'b', 'c'], 60_000, async (tenantId) => {
      if (tenantId === 'b') throw new UnavailableError('chroma', 'the collections are being built');
    });
    for (let pass = 0; pass < 2; pass++) await expect(loop.pass()).rejects.toThrow('are being built');
    expect(['a', 'b', 'c'].map((tenantId) => loop.last(tenantId) !== null)).toEqual([true, false, true]);
  });
});

interface FakedParts {
  readonly probe: (generation: Generation) => Promise<void>;
  /** What is read of the generations. */
  readonly read?: GenerationFilter[];
  readonly startGeneration?: () => Promise<never>;
  readonly generations?: readonly Generation[];
}

/** A gateway of tenants without cards. */
function partsOf({ probe, read = [], startGeneration, generations = all }: FakedParts): IndexingParts<LexicalIndex> {
  return {
    ledger: {
      generations: async (filter: GenerationFilter = {}) => {
        read.push(filter);
        return generations.filter(({ tenantId, modelKey }) => {
          if (filter.unsettled || modelKey === filter.notOfModel) return false;
          return (filter.tenantId ?? tenantId) === tenantId;
        });
      },
      startGeneration,
      versions: async () => new Map(),
      revisions: async () => new Map(),
    },
    outbox: { onDirty: () => () => undefined, releaseOf: async () => undefined },
    changes: {
      position: async () => ({ transaction: 1n, atMs: 1 }),
      since: async (position: object) => ({ position, cards: [] }),
      forget: async () => undefined,
      listen: (_: () => void, stopped: AbortSignal) => delay(60_000, stopped),
    },
    vectorStore: { probe, isNearlyFull: async () => false },
    cache: { ...memoryCache(), load: async () => undefined, unload: () => undefined, bytes: () => 0 },
    stored: { of: async () => ({ vectors: new Map(), failure: null }) },
    newIndex: () => new LexicalIndex(literalWords),
    snapshots: { read: async () => null, write: async () => undefined },
    embedders: sourceOf(literalEmbedder),
    background: NO_FOREGROUND,
    alone: false,
    killed: [],
    config: { indexMemoryMb: 1 },
    metrics: { countEmbedded: () => undefined },
    log: silent,
  } as unknown as IndexingParts<LexicalIndex>;
}

/** Reconciliation of tenants without cards. */
function loopOver(
  tenantIds: readonly string[],
  passMs: number,
  compare: (tenantId: string) => Promise<void>,
): ReconciliationLoop {
  const few = tenantIds.map((tenantId) => ({ ...all[0], tenantId }) as Generation);
  const index = memoryIndex();
  return new ReconciliationLoop({
    ledger: { generations: async () => few },
    generations: {
      answering: async () => few,
      verify: async () => undefined,
      begin: async () => few[0] as Generation,
      moveIfOutgrown: async () => undefined,
    },
    audit: {
      revive: async (tenantId: string) => {
        await compare(tenantId);
        return 0;
      },
      totals: async () => ({ state: '', records: { question: 0, solution: 0, concept: 0, error: 0 } }),
      page: async () => [],
      cards: async () => new Map(),
      mark: async () => undefined,
    },
    vectorStore: { ...index, count: async () => 0 },
    cache: memoryCache(),
    random: Math.random,
    background: NO_FOREGROUND,
    times: { firstMs: 0, everyMs: 1_000, soonMs: 1_000, restMs: 0, passMs },
    log: silent,
  } as unknown as ReconciliationLoopParts);
}
