import { afterEach } from 'vitest';
import { type GiveWay, NO_FOREGROUND } from '../../../src/domain/background.js';
import type { Card } from '../../../src/domain/card.js';
import { type VectorStore } from '../../../src/domain/ports/collections.js';
import type { Generation, IndexedCard, IndexLedger } from '../../../src/domain/ports/ledger.js';
import type { Embedder } from '../../../src/domain/ports/models.js';
import {
  type ClaimChoice,
  type DirtyCard,
  type Outbox,
  PRIORITY,
  type Priority,
} from '../../../src/domain/ports/outbox.js';
import { Generations } from '../../../src/indexing/generations.js';
import { Indexer, type IndexerParts } from '../../../src/indexing/indexer.js';
import { cardOf } from '../../support/generators.js';
import { LexicalIndexes } from '../../support/lexical-indexes.js';
import {
  among,
  literalEmbedder,
  literalModel,
  literalWords,
  memoryCache,
  memoryIndex,
  sourceOf,
} from '../../support/memory-ports.js';

export const live: Generation = { tenantId: 'default', number: 1, modelKey: literalModel, state: 'live' };
export const deadlineMs = 30_000;

/** A dirty set that hands every card out once for each time that it is due, and remembers what became of it. */
export class MemoryOutbox implements Outbox {
  readonly due: DirtyCard[] = [];
  readonly finished: string[] = [];
  readonly released: string[] = [];
  readonly prolonged: string[] = [];
  readonly failed: { readonly cardId: string; readonly error: string; readonly retryAfterMs: number | null }[] = [];
  readonly listeners = new Set<() => void>();
  claims = 0;
  /** In how many ms something that is not in `due` yet comes due. */
  nextMs = Number.POSITIVE_INFINITY;
  onDone: (results: Parameters<Outbox['done']>[0]) => void = () => undefined;

  add(cards: readonly Card[], { attempts = 1, priority = PRIORITY.change as Priority } = {}): void {
    this.due.push(
      ...cards.map(({ tenantId, id }) => ({
        tenantId,
        cardId: id,
        seq: 1n,
        token: 't',
        priority,
        attempts,
        ledgerIsRight: true,
      })),
    );
    for (const listener of this.listeners) listener();
  }

  async claim(limit: number, _leaseMs = 0, choice: ClaimChoice = {}): Promise<readonly DirtyCard[]> {
    const { except = [], lastFirst = false } = choice;
    this.claims += 1;
    const due = this.due.filter(({ tenantId }) => !except.includes(tenantId));
    const inOrder = due.sort((one, other) => one.priority - other.priority);
    const claimed = (lastFirst ? inOrder.reverse() : inOrder).slice(0, limit);
    for (const claim of claimed) this.due.splice(this.due.indexOf(claim), 1);
    return claimed;
  }

  async nextDueMs(except: readonly string[] = []): Promise<number> {
    return this.due.some(({ tenantId }) => !except.includes(tenantId)) ? 0 : this.nextMs;
  }

  async done(results: Parameters<Outbox['done']>[0]): Promise<void> {
    this.onDone(results);
    this.finished.push(...results.map(({ claim }) => claim.cardId));
  }

  async prolong(claims: readonly DirtyCard[]): Promise<void> {
    this.prolonged.push(...claims.map(({ cardId }) => cardId));
  }

  async release(claims: readonly DirtyCard[]): Promise<void> {
    this.released.push(...claims.map(({ cardId }) => cardId));
    this.due.push(...claims);
  }

  async releaseOf(): Promise<void> {
    throw new Error('the loop itself never gives back what others claimed');
  }

  async fail(claim: DirtyCard, error: string, retryAfterMs: number | null): Promise<void> {
    this.failed.push({ cardId: claim.cardId, error, retryAfterMs });
  }

  onDirty(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

interface World {
  readonly cards: readonly Card[];
  readonly embedder?: Partial<Embedder>;
  readonly writer?: Partial<VectorStore>;
  readonly generations?: readonly Generation[];
  readonly background?: GiveWay;
  readonly probe?: VectorStore['probe'];
  readonly events?: IndexerParts['events'];
}

/** Looks for changes of others as often as a gateway that is not told of them. */
const deaf: IndexerParts['events'] = { pollMs: 1_000, onChange: () => () => undefined };

/** An index manager over Maps; what the test is about is given. */
export function worldOf({
  cards,
  embedder,
  writer,
  generations: given = [live],
  probe,
  events = deaf,
  ...rest
}: World) {
  const { background = NO_FOREGROUND } = rest;
  const outbox = new MemoryOutbox();
  const index = memoryIndex();
  const generations = new Map(given.map((generation) => [generation.number, generation]));
  const indexed = new Map<string, IndexedCard>();
  const nameOf = (generation: number, id: string): string => `${generation}/${id}`;
  outbox.onDone = (results) => {
    for (const { claim, outcomes } of results) {
      for (const { generation, indexed: entry } of outcomes) {
        if (entry !== null) indexed.set(nameOf(generation, claim.cardId), entry);
      }
    }
  };
  const ledger: Pick<
    IndexLedger,
    | 'cards'
    | 'indexed'
    | 'generations'
    | 'outgrown'
    | 'expectedRecords'
    | 'startGeneration'
    | 'promote'
    | 'dropGeneration'
  > = {
    cards: async (tenantId, ids) =>
      among(new Map(cards.filter((card) => card.tenantId === tenantId).map((card) => [card.id, card])), ids),
    indexed: async (_tenantId, generation, ids) => {
      const found = among(
        indexed,
        ids.map((id) => nameOf(generation, id)),
      );
      return new Map([...found].map(([name, entry]) => [name.slice(nameOf(generation, '').length), entry]));
    },
    generations: async ({ tenantId } = {}) =>
      [...generations.values()].filter((one) => (tenantId ?? one.tenantId) === one.tenantId),
    outgrown: async () => null,
    expectedRecords: async () => 0,
    startGeneration: async (tenantId, modelKey) => {
      const running = [...generations.values()].find(({ state }) => state === 'building');
      if (running !== undefined) return { generation: running, isNew: false };
      const generation = { tenantId, number: generations.size + 1, modelKey, state: 'building' } as const;
      generations.set(generation.number, generation);
      outbox.add(cards);
      return { generation, isNew: true };
    },
    promote: async (tenantId, number) => {
      const own = cards.filter((card) => card.tenantId === tenantId);
      if (!own.every(({ id }) => indexed.has(nameOf(number, id)))) return false;
      for (const generation of generations.values()) {
        if (generation.tenantId !== tenantId) continue;
        const state = generation.number === number ? 'live' : 'retired';
        generations.set(generation.number, { ...generation, state });
      }
      return true;
    },
    dropGeneration: async (_tenantId, number) => {
      generations.delete(number);
    },
  };
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const collections: Pick<VectorStore, 'create' | 'drop' | 'probe' | 'isNearlyFull'> = {
    create: async () => undefined,
    drop: async () => undefined,
    probe: probe ?? (async () => undefined),
    isNearlyFull: async () => false,
  };
  const cache = memoryCache();
  const manager = new Generations({
    ledger: ledger as IndexLedger,
    chromaAboveCards: 0,
    vectorStore: collections,
    cache,
    embedders: sourceOf({ ...literalEmbedder, ...embedder }),
    log,
  });
  const parts: IndexerParts = {
    ledger,
    outbox,
    events,
    vectorStore: { ...index, ...writer },
    cache,
    lexical: new LexicalIndexes(literalWords),
    generations: manager,
    log,
    onEmbedded: () => undefined,
    background,
  };
  return { outbox, generations, manager, index, indexer: new Indexer(parts) };
}

export function cardsOf(count: number, given: Partial<Card> = {}): readonly Card[] {
  return Array.from({ length: count }, (_, place) => cardOf({ id: `c${place}`, ...given }));
}

/** Indexes every text but those that say POISON. */
export const poisonable: Partial<Embedder> = {
  embed: async (texts, ...rest) => {
    if (texts.some((text) => text.includes('POISON'))) throw new Error('the model cannot read this');
    return literalEmbedder.embed(texts, ...rest);
  },
};

/** For a describe block: starts indexers, and closes them after each test. */
export function startingIndexers(): (indexer: Indexer) => void {
  const running: Indexer[] = [];
  afterEach(async () => {
    for (const indexer of running.splice(0)) await indexer.close();
  });
  return (indexer) => {
    running.push(indexer);
    indexer.start();
  };
}
