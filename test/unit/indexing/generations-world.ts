import { IndexLostError } from '../../../src/domain/errors.js';
import type { VectorStore } from '../../../src/domain/ports/collections.js';
import type { Generation, IndexLedger } from '../../../src/domain/ports/ledger.js';
import { type Embedder, modelKey as modelKeyOf } from '../../../src/domain/ports/models.js';
import { Generations, type WritableGeneration } from '../../../src/indexing/generations.js';
import { literalEmbedder, literalModel, memoryCache, sourceOf } from '../../support/memory-ports.js';

export const otherEmbedder: Embedder = { ...literalEmbedder, model: { ...literalEmbedder.model, name: 'another' } };
export const otherModel = modelKeyOf(otherEmbedder.model);

export function generation(number: number, state: Generation['state'], given: Partial<Generation> = {}): Generation {
  return { tenantId: 'default', number, modelKey: literalModel, state, ...given };
}

/** Generations over a ledger in memory, and collections that take a while to be made. */
export function worldOf(
  given: readonly Generation[],
  embedders = sourceOf(literalEmbedder),
  olderChroma = async (): Promise<string | null> => null,
) {
  const ledgers = new Map(given.map((one) => [one.number, one]));
  const collections = new Set(given.map(({ number }) => number));
  const complete = new Set<number>();
  const retire = (one: Generation): unknown => ledgers.set(one.number, { ...one, state: 'retired' });
  type Ledger = Pick<
    IndexLedger,
    | 'generations'
    | 'outgrown'
    | 'expectedRecords'
    | 'startGeneration'
    | 'retireGeneration'
    | 'promote'
    | 'dropGeneration'
  >;
  const ledger: Ledger = {
    generations: async ({ tenantId, modelKey, notOfModel, unsettled } = {}) =>
      [...ledgers.values()].filter(
        (one) =>
          (tenantId ?? one.tenantId) === one.tenantId &&
          (modelKey ?? one.modelKey) === one.modelKey &&
          notOfModel !== one.modelKey &&
          !(unsettled === true && one.state === 'live'),
      ),
    startGeneration: async (tenantId, modelKey, { replaces, prepare } = {}) => {
      const running = [...ledgers.values()].find((one) => one.state === 'building' && one.tenantId === tenantId);
      if (running?.modelKey === modelKey && running.number !== replaces) return { generation: running, isNew: false };
      const made = generation(Math.max(0, ...ledgers.keys()) + 1, 'building', { tenantId, modelKey });
      await prepare?.(made);
      if (running !== undefined) retire(running);
      ledgers.set(made.number, made);
      return { generation: made, isNew: true };
    },
    outgrown: async () => null,
    expectedRecords: async () => 17,
    retireGeneration: async (_tenantId, number) => void retire(ledgers.get(number) as Generation),
    promote: async (_tenantId, number) => complete.has(number),
    dropGeneration: async (_tenantId, number) => void ledgers.delete(number),
  };
  const nearlyFull = new Set<number>();
  /** The number of records that the collections of a generation were created for. */
  const room = new Map<number, number | undefined>();
  /** The generations whose collections were there, and were dropped. */
  const dropped: number[] = [];
  const rooms: Pick<VectorStore, 'create' | 'drop' | 'probe' | 'isNearlyFull'> = {
    create: async ({ number }, _model, records) => {
      room.set(number, records);
      await new Promise(setImmediate);
      collections.add(number);
    },
    drop: async ({ number }) => {
      if (collections.delete(number)) dropped.push(number);
    },
    probe: async ({ number }) => {
      if (!collections.has(number)) throw new IndexLostError('a collection of the index is missing');
    },
    isNearlyFull: async ({ number }) => nearlyFull.has(number),
  };
  const said: string[] = [];
  const log = {
    info: (_facts: object, message: string) => void said.push(message),
    warn: (_facts: object, message: string) => void said.push(message),
  };
  const cache = memoryCache();
  const generations = new Generations({
    ledger: ledger as IndexLedger,
    chromaAboveCards: 0,
    vectorStore: rooms,
    cache,
    embedders,
    olderChroma,
    log,
  });
  return { generations, ledgers, collections, nearlyFull, room, complete, cache, rooms, dropped, said, embedders };
}

export const numbersOf = (of: readonly WritableGeneration[]): readonly number[] =>
  of.map(({ generation }) => generation.number);
export const numbers = (of: readonly Generation[]): readonly number[] => of.map(({ number }) => number);
