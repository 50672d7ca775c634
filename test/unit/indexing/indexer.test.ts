import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { delay } from '../../../src/domain/async.js';
import { NO_FOREGROUND } from '../../../src/domain/background.js';
import type { Card } from '../../../src/domain/card.js';
import { IndexLostError, UnavailableError } from '../../../src/domain/errors.js';
import { byPerspective, PERSPECTIVES } from '../../../src/domain/perspective.js';
import { type Collections, recordId, type VectorWriter } from '../../../src/domain/ports/collections.js';
import type { Generation, IndexedCard, IndexLedger } from '../../../src/domain/ports/ledger.js';
import type { Embedder } from '../../../src/domain/ports/models.js';
import type { DirtyCard, Outbox } from '../../../src/domain/ports/outbox.js';
import { Generations } from '../../../src/indexing/generations.js';
import { Indexer, type IndexerParts } from '../../../src/indexing/indexer.js';
import { LexicalIndexes } from '../../../src/lexical/indexes.js';
import { cardOf } from '../../support/generators.js';
import {
  among,
  collectionName,
  literalEmbedder,
  literalModel,
  literalWords,
  memoryCache,
  memoryIndex,
  sourceOf,
  vectorOf,
} from '../../support/memory-ports.js';
import { until } from '../../support/until.js';

const live: Generation = { tenantId: 'default', number: 1, modelKey: literalModel, state: 'live' };
const deadlineMs = 5_000;

/** A dirty set that hands every card out once for each time that it is due, and remembers what became of it. */
class MemoryOutbox implements Outbox {
  readonly due: DirtyCard[] = [];
  readonly finished: string[] = [];
  readonly released: string[] = [];
  readonly failed: { readonly cardId: string; readonly error: string; readonly retryAfterMs: number | null }[] = [];
  readonly listeners = new Set<() => void>();
  claims = 0;
  /** In how many ms something that is not in `due` yet comes due. */
  nextMs = Number.POSITIVE_INFINITY;
  onDone: (results: Parameters<Outbox['done']>[0]) => void = () => undefined;

  add(cards: readonly Card[], attempts = 1): void {
    this.due.push(
      ...cards.map(({ tenantId, id }) => ({
        tenantId,
        cardId: id,
        seq: 1n,
        token: 't',
        attempts,
        ledgerIsRight: true,
      })),
    );
    for (const listener of this.listeners) listener();
  }

  async claim(limit: number, _leaseMs = 0, except: readonly string[] = []): Promise<readonly DirtyCard[]> {
    this.claims += 1;
    const claimed = this.due.filter(({ tenantId }) => !except.includes(tenantId)).slice(0, limit);
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
  readonly writer?: Partial<VectorWriter>;
  readonly generations?: readonly Generation[];
  readonly probe?: Collections['probe'];
  readonly events?: IndexerParts['events'];
}

/** Looks for changes of others as often as a gateway that is not told of them. */
const deaf: IndexerParts['events'] = { pollMs: 1_000, onChange: () => () => undefined };

/** An index manager over Maps; what the test is about is given. */
function worldOf({ cards, embedder, writer, generations: given = [live], probe, events = deaf }: World) {
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
    'cards' | 'indexed' | 'generations' | 'outgrown' | 'startGeneration' | 'promote' | 'dropGeneration'
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
  const collections: Pick<Collections, 'create' | 'drop' | 'probe'> = {
    create: async () => undefined,
    drop: async () => undefined,
    probe: probe ?? (async () => undefined),
  };
  const cache = memoryCache();
  const manager = new Generations({
    ledger: ledger as IndexLedger,
    chromaAboveCards: 0,
    collections: collections as Collections,
    cache,
    embedders: sourceOf({ ...literalEmbedder, ...embedder }),
    log,
  });
  const parts: IndexerParts = {
    ledger,
    outbox,
    events,
    reader: index,
    inspector: index,
    writer: { ...index, ...writer },
    cache,
    lexical: new LexicalIndexes(literalWords),
    generations: manager,
    log,
    onEmbedded: () => undefined,
    background: NO_FOREGROUND,
  };
  return { outbox, generations, manager, index, indexer: new Indexer(parts) };
}

function cardsOf(count: number, given: Partial<Card> = {}): readonly Card[] {
  return Array.from({ length: count }, (_, place) => cardOf({ id: `c${place}`, ...given }));
}

/** A gate that is closed at first. */
function deferred(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Indexes every text but those that say POISON. */
const poisonable: Partial<Embedder> = {
  embed: async (texts, ...rest) => {
    if (texts.some((text) => text.includes('POISON'))) throw new Error('the model cannot read this');
    return literalEmbedder.embed(texts, ...rest);
  },
};

describe('Indexer', () => {
  const running: Indexer[] = [];
  const start = (indexer: Indexer): void => {
    running.push(indexer);
    indexer.start();
  };
  afterEach(async () => {
    for (const indexer of running.splice(0)) await indexer.close();
  });

  test('isolates the one bad card of a batch, and indexes the 19 others', async () => {
    const cards = cardsOf(20).map((card, place) => (place === 9 ? { ...card, questionText: 'POISON' } : card));
    const { outbox, indexer } = worldOf({ cards, embedder: poisonable });
    outbox.add(cards, 3);
    start(indexer);
    await until(() => outbox.finished.length + outbox.failed.length === 20, { deadlineMs, what: 'the batch to end' });
    expect(outbox.failed).toEqual([
      { cardId: 'c9', error: 'the model cannot read this', retryAfterMs: expect.any(Number) },
    ]);
    expect(outbox.failed[0]?.retryAfterMs).toBeGreaterThanOrEqual(4_000);
    expect([...outbox.finished].sort()).toEqual(
      cards
        .map(({ id }) => id)
        .filter((id) => id !== 'c9')
        .sort(),
    );
    expect(outbox.released).toEqual([]);
  });

  test('finds every bad card of a batch, and gives up a card at its eighth attempt', async () => {
    const bad = new Set([0, 7, 8, 19]);
    const cards = cardsOf(20).map((card, place) => (bad.has(place) ? { ...card, questionText: 'POISON' } : card));
    const { outbox, indexer } = worldOf({ cards, embedder: poisonable });
    outbox.add(cards, 8);
    start(indexer);
    await until(() => outbox.finished.length + outbox.failed.length === 20, { deadlineMs, what: 'the batch to end' });
    expect(outbox.failed.map(({ cardId }) => cardId)).toEqual(['c0', 'c7', 'c8', 'c19']);
    expect(outbox.failed.map(({ retryAfterMs }) => retryAfterMs)).toEqual([null, null, null, null]);
  });

  test('releases everything while a part is unavailable, without failed attempts, and continues when it is back', async () => {
    let outages = 2;
    const upsert: VectorWriter['upsert'] = async ({ perspective }) => {
      if (outages === 0 || perspective !== 'question') return;
      outages -= 1;
      throw new UnavailableError('chroma', 'the vector server does not answer');
    };
    const cards = cardsOf(20);
    const { outbox, indexer } = worldOf({ cards, writer: { upsert } });
    outbox.add(cards);
    start(indexer);
    await until(() => outbox.finished.length === 20, { deadlineMs, what: 'the batch to be done after the outage' });
    expect(outbox.released).toHaveLength(40);
    expect(outbox.failed).toEqual([]);
  });

  test('releases the cards of all tenants if a part fails while it indexes the first one', async () => {
    const ofFirst = cardsOf(3, { tenantId: 'first' });
    const ofSecond = [cardOf({ id: 's0', tenantId: 'second' }), cardOf({ id: 's1', tenantId: 'second' })];
    const cards = [...ofFirst, ...ofSecond];
    const generations = ['first', 'second'].map((tenantId, place) => ({ ...live, tenantId, number: place + 1 }));
    const upsert: VectorWriter['upsert'] = async () => {
      throw new UnavailableError('chroma', 'the vector server does not answer');
    };
    const { outbox, indexer } = worldOf({ cards, generations, writer: { upsert } });
    outbox.add(cards);
    start(indexer);
    await until(() => outbox.released.length > 0, { deadlineMs, what: 'the batch to be given back' });
    expect(outbox.released.slice(0, 5).sort()).toEqual(['c0', 'c1', 'c2', 's0', 's1']);
  });

  test('a school in PostgreSQL is indexed during an outage of Chroma', async () => {
    const ofLarge = cardsOf(151, { tenantId: 'large' });
    const ofSmall = [cardOf({ id: 's0', tenantId: 'small' }), cardOf({ id: 's1', tenantId: 'small' })] as const;
    let away = true;
    const upsert: VectorWriter['upsert'] = async ({ tenantId }) => {
      if (away && tenantId === 'large') throw new UnavailableError('chroma', 'the vector server does not answer');
    };
    const generations = ['large', 'small'].map((tenantId, place) => ({ ...live, tenantId, number: place + 1 }));
    const { outbox, indexer } = worldOf({ cards: [...ofLarge, ...ofSmall], generations, writer: { upsert } });
    outbox.add([...ofLarge, ofSmall[0]]);
    start(indexer);
    await until(() => outbox.finished.includes('s0'), { deadlineMs, what: 'the small school' });
    outbox.add([ofSmall[1]]);
    await until(() => outbox.finished.includes('s1'), { deadlineMs, what: 'a later change of the small school' });
    expect([outbox.finished.length, outbox.failed, indexer.paused]).toEqual([2, [], true]);
    away = false;
    indexer.resume();
    await until(() => outbox.finished.length === 153, { deadlineMs, what: 'the large school' });
    expect(indexer.paused).toBe(false);
  });

  test('releases the remaining cards if a part fails while it looks for a bad card', async () => {
    const cards = cardsOf(8).map((card, place) => (place === 7 ? { ...card, questionText: 'POISON' } : card));
    const upsert: VectorWriter['upsert'] = async (_key, records) => {
      if (records.some(({ card }) => card.id === 'c4')) throw new UnavailableError('chroma', 'no answer');
    };
    const { outbox, indexer } = worldOf({ cards, embedder: poisonable, writer: { upsert } });
    outbox.add(cards);
    start(indexer);
    await until(() => outbox.released.length > 0, { deadlineMs, what: 'the rest to be given back' });
    expect(outbox.finished.slice(0, 4)).toEqual(['c0', 'c1', 'c2', 'c3']);
    expect(outbox.released.slice(0, 4)).toEqual(['c4', 'c5', 'c6', 'c7']);
    expect(outbox.failed).toEqual([]);
  });

  test('embeds the next batch while one is being written, and writes them in order', async () => {
    const cards = cardsOf(400).map((card, place) => ({ ...card, questionText: `question ${place}` }));
    const embedded = new Set<string>();
    const written: string[] = [];
    const gate = deferred();
    const { outbox, indexer } = worldOf({
      cards,
      embedder: {
        embed: async (texts, ...rest) => {
          for (const text of texts) embedded.add(text);
          return literalEmbedder.embed(texts, ...rest);
        },
      },
      writer: {
        upsert: async ({ perspective }, records) => {
          await gate.opened;
          if (perspective === 'question') written.push(...records.map(({ card }) => card.id));
        },
      },
    });
    outbox.add(cards);
    start(indexer);
    await until(() => embedded.has('question 150'), { deadlineMs, what: 'the second batch to be embedded' });
    expect([outbox.claims, outbox.finished, written]).toEqual([2, [], []]);
    gate.open();
    await until(() => outbox.finished.length === 400, { deadlineMs, what: 'all to be done' });
    expect(outbox.finished).toEqual(cards.map(({ id }) => id));
    expect([...new Set(written)]).toEqual(outbox.finished);
  });

  test('releases both batches if a part is unavailable, and indexes both later', async () => {
    const cards = cardsOf(200);
    let away = true;
    const gate = deferred();
    const { outbox, indexer } = worldOf({
      cards,
      writer: {
        upsert: async () => {
          await gate.opened;
          if (away) throw new UnavailableError('chroma', 'the vector server does not answer');
        },
      },
    });
    outbox.add(cards);
    start(indexer);
    await until(() => outbox.claims === 2, { deadlineMs, what: 'the second batch to be claimed' });
    gate.open();
    await until(() => outbox.released.length >= 200, { deadlineMs, what: 'both to be given back' });
    expect([...outbox.released.slice(0, 200)].sort()).toEqual(cards.map(({ id }) => id).sort());
    away = false;
    indexer.resume();
    await until(() => outbox.finished.length === 200, { deadlineMs: 30_000, what: 'both to be done' });
    expect(outbox.failed).toEqual([]);
  });

  test('releases claims as soon as the database is back if it was unavailable too', async () => {
    const cards = cardsOf(20);
    const { outbox, indexer } = worldOf({ cards });
    const away = new UnavailableError('database', 'the connection was lost');
    const { done, release } = outbox;
    let outages = 2;
    outbox.done = async (results) => {
      if (outages > 0) throw away;
      return done.call(outbox, results);
    };
    outbox.release = async (claims) => {
      outages -= 1;
      if (outages > 0) throw away;
      return release.call(outbox, claims);
    };
    outbox.add(cards);
    start(indexer);
    await until(() => outbox.finished.length === 20, { deadlineMs, what: 'the batch to be done' });
    expect(outbox.released).toHaveLength(20);
  });

  test('reads a card that it has claimed twice only after the first claim is written', async () => {
    const cards = [...cardsOf(150)];
    const [first] = cards as [Card];
    const text = (questionText: string, revision: number): Card => ({ ...first, questionText, revision });
    cards[0] = text('the old text', 1);
    const { outbox, indexer, index } = worldOf({
      cards,
      embedder: {
        embed: async (texts, ...rest) => {
          // The card's owner thinks better of it as soon as it has been read.
          if (texts.includes('a new text')) cards[0] = text('the old text', 3);
          return literalEmbedder.embed(texts, ...rest);
        },
      },
    });
    outbox.add(cards);
    start(indexer);
    await until(() => outbox.finished.length === 150, { deadlineMs, what: 'the first state to be indexed' });
    cards[0] = text('a new text', 2);
    // As where the lease of the first claim has run out while it is worked on.
    outbox.add([...cards, cards[0]]);
    await until(() => outbox.finished.length === 301, { deadlineMs, what: 'both claims to be done' });
    const key = { tenantId: 'default', generation: 1, perspective: 'question' } as const;
    const record = index.collections.get(collectionName(key))?.get(recordId(first.id, 0));
    expect(record).toMatchObject({ revision: 3, vector: vectorOf('the old text') });
  });

  test('the first index of a school becomes live during the long backlog of another', async () => {
    const cards = [...cardsOf(300, { tenantId: 'large' }), cardOf({ id: 's0', tenantId: 'new' })];
    const given: readonly Generation[] = [
      { ...live, tenantId: 'large' },
      { ...live, tenantId: 'new', number: 2, state: 'building' },
    ];
    const { outbox, generations, indexer } = worldOf({ cards, generations: given });
    const backlog = cards.slice(0, 300);
    const { claim } = outbox;
    // As long as it is not live, every batch is full.
    outbox.claim = async (...args) => {
      await new Promise(setImmediate);
      if (outbox.due.length < 300 && generations.get(2)?.state === 'building') outbox.add(backlog);
      return claim.call(outbox, ...args);
    };
    outbox.add(cards.slice(300));
    start(indexer);
    await until(() => generations.get(2)?.state === 'live', { deadlineMs: 30_000, what: 'the new school' });
  });

  test('rebuilds a lost live index beside it, without being blocked by the lost one', async () => {
    const lost = new IndexLostError('a collection of the index is missing');
    const upsert: VectorWriter['upsert'] = async ({ generation }) => {
      if (generation === 1) throw lost;
    };
    const probe: Collections['probe'] = async ({ number }) => {
      if (number === 1) throw lost;
    };
    const cards = cardsOf(3);
    const { outbox, generations, indexer } = worldOf({ cards, writer: { upsert }, probe });
    outbox.add(cards.slice(0, 1));
    start(indexer);
    await until(() => generations.get(2)?.state === 'live', { deadlineMs, what: 'the new index to be live' });
    expect(outbox.failed).toEqual([]);
    await until(() => !generations.has(1), { deadlineMs, what: 'the lost one to be dropped' });
  });

  test('changes are indexed while a collection is being probed', async () => {
    const cards = cardsOf(2);
    const gate = deferred();
    const { outbox, manager, indexer } = worldOf({ cards, probe: () => gate.opened });
    const probed = manager.verify();
    start(indexer);
    for (const [place, card] of cards.entries()) {
      outbox.add([card]);
      await until(() => outbox.finished.length > place, { deadlineMs, what: `${card.id} to be indexed` });
    }
    gate.open();
    await probed;
  });

  describe('with a stopped clock, so that it never polls', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    test('is woken by a change while it waits', async () => {
      const cards = cardsOf(1);
      const { outbox, indexer } = worldOf({ cards });
      start(indexer);
      while (vi.getTimerCount() === 0) await new Promise(setImmediate);
      outbox.add(cards);
      while (outbox.finished.length < 1) await new Promise(setImmediate);
    });

    test('pauses after a batch until it is told to hurry; being told during the batch changes nothing', async () => {
      const cards = cardsOf(2);
      const { outbox, indexer } = worldOf({ cards });
      outbox.onDone = () => indexer.hurry();
      outbox.add(cards.slice(0, 1));
      start(indexer);
      expect(await asleep(outbox)).toBe(1);
      outbox.add(cards.slice(1));
      for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
      expect([outbox.claims, outbox.finished]).toEqual([1, ['c0']]);
      indexer.hurry();
      while (outbox.finished.length < 2) await new Promise(setImmediate);
    });

    /** Waits until the indexer waits; how many claims it has made by then. */
    const asleep = async (outbox: MemoryOutbox): Promise<number> => {
      while (vi.getTimerCount() === 0) await new Promise(setImmediate);
      return outbox.claims;
    };
    const told = { pollMs: 3_600_000, onChange: () => () => undefined };

    test('claims nothing until the next card is due, and then at once', async () => {
      const cards = cardsOf(1);
      const { outbox, indexer } = worldOf({ cards, events: told });
      outbox.nextMs = 90_000;
      start(indexer);
      expect(await asleep(outbox)).toBe(1);
      vi.advanceTimersByTime(89_999);
      expect(await asleep(outbox)).toBe(1);
      // As a retry, or the claim of a gateway that was killed: nobody tells of it.
      outbox.due.push({ tenantId: 'default', cardId: 'c0', seq: 1n, token: 't', attempts: 2, ledgerIsRight: false });
      vi.advanceTimersByTime(1);
      while (outbox.finished.length < 1) await new Promise(setImmediate);
    });

    test('claims nothing during an outage of Chroma until the next attempt is due', async () => {
      const cards = cardsOf(1, { tenantId: 'large' });
      const upsert: VectorWriter['upsert'] = async () => {
        throw new UnavailableError('chroma', 'the vector server does not answer');
      };
      const generations = [{ ...live, tenantId: 'large' }];
      const { outbox, indexer } = worldOf({ cards, generations, writer: { upsert }, events: told });
      outbox.add(cards);
      start(indexer);
      for (let failures = 1; failures <= 9; failures++) {
        while (outbox.released.length < failures) await new Promise(setImmediate);
        const claims = await asleep(outbox);
        // The rest after the batch; then the cards of other tenants are claimed.
        vi.advanceTimersByTime(400);
        while (outbox.claims === claims) await new Promise(setImmediate);
        await asleep(outbox);
        if (failures < 9) indexer.resume();
      }
      // The tenth attempt is due after 15 s or more.
      const { claims } = outbox;
      vi.advanceTimersByTime(5_000);
      for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
      expect(outbox.claims).toBe(claims);
    });

    test('claims changes of other gateways when notified, and by polling', async () => {
      const cards = cardsOf(2);
      const listeners: (() => void)[] = [];
      const onChange = (listener: () => void): (() => void) => {
        listeners.push(listener);
        return () => undefined;
      };
      const { outbox, indexer } = worldOf({ cards, events: { pollMs: 30_000, onChange } });
      start(indexer);
      for (const [place, look] of [
        () => listeners.forEach((listener) => void listener()),
        () => vi.advanceTimersByTime(30_000),
      ].entries()) {
        await asleep(outbox);
        outbox.due.push({
          tenantId: 'default',
          cardId: `c${place}`,
          seq: 1n,
          token: 't',
          attempts: 1,
          ledgerIsRight: true,
        });
        look();
        while (outbox.finished.length <= place) await new Promise(setImmediate);
      }
    });

    test('checks a building generation every second', async () => {
      const building: Generation = { ...live, number: 2, state: 'building' };
      const cards = cardsOf(1);
      const { outbox, generations, indexer } = worldOf({ cards, events: told, generations: [live, building] });
      start(indexer);
      expect(await asleep(outbox)).toBe(1);
      // Another gateway indexes the last card that the generation lacks.
      outbox.onDone([
        {
          claim: { tenantId: 'default', cardId: 'c0', seq: 1n, token: 't', attempts: 1, ledgerIsRight: true },
          outcomes: [
            { generation: 2, indexed: { revision: 1, indexedAt: new Date(0), passages: byPerspective(() => []) } },
          ],
        },
      ]);
      vi.advanceTimersByTime(1_000);
      while (generations.get(2)?.state !== 'live') await new Promise(setImmediate);
    });

    test('rests after a batch with room for more cards: changes meanwhile are one batch', async () => {
      const cards = cardsOf(3);
      const { outbox, indexer } = worldOf({ cards, events: told });
      outbox.add(cards.slice(0, 1));
      start(indexer);
      while (outbox.finished.length < 1) await new Promise(setImmediate);
      expect(await asleep(outbox)).toBe(1);
      for (const card of cards.slice(1)) outbox.add([card]);
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      expect(outbox.claims).toBe(1);
      vi.advanceTimersByTime(400);
      while (outbox.finished.length < 3) await new Promise(setImmediate);
      expect(outbox.claims).toBe(2);
    });

    test('does not rest after a full batch', async () => {
      const cards = cardsOf(450);
      const { outbox, indexer } = worldOf({ cards, events: told });
      outbox.add(cards);
      start(indexer);
      while (outbox.finished.length < 450) await new Promise(setImmediate);
    });

    test('notices a change during a batch', async () => {
      const cards = cardsOf(1);
      const { outbox, indexer } = worldOf({ cards });
      const { claim } = outbox;
      outbox.claim = async (limit) => {
        const none = await claim.call(outbox, limit);
        outbox.claim = claim;
        outbox.add(cards);
        return none;
      };
      start(indexer);
      while (outbox.finished.length < 1) await new Promise(setImmediate);
    });
  });

  test('notifies its listeners of every batch until they unsubscribe', async () => {
    const cards = cardsOf(2);
    const { outbox, indexer } = worldOf({ cards });
    let batches = 0;
    const forget = indexer.onBatch(() => {
      batches += 1;
    });
    start(indexer);
    await until(() => batches > 0, { deadlineMs, what: 'a batch' });
    forget();
    const before = batches;
    outbox.add(cards);
    await until(() => outbox.finished.length === 2, { deadlineMs, what: 'the next batch' });
    expect(batches).toBe(before);
  });

  test('claims nothing after close, and close may be called twice', async () => {
    const { outbox, indexer } = worldOf({ cards: [] });
    start(indexer);
    await until(() => outbox.claims > 0, { deadlineMs, what: 'the first look' });
    await Promise.all([indexer.close(), indexer.close()]);
    const { claims } = outbox;
    outbox.add(cardsOf(1));
    await new Promise(setImmediate);
    expect(outbox.claims).toBe(claims);
    expect(outbox.listeners.size).toBe(0);
  });

  test('releases on close what it is embedding', async () => {
    const cards = cardsOf(3);
    let embedding = false;
    const embed: Embedder['embed'] = (_texts, _kind, _perspective, signal) => {
      embedding = true;
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    };
    const { outbox, indexer } = worldOf({ cards, embedder: { embed } });
    outbox.add(cards);
    start(indexer);
    await until(() => embedding, { deadlineMs, what: 'the embedding to begin' });
    await indexer.close();
    expect(outbox.released).toEqual(['c0', 'c1', 'c2']);
    expect(outbox.failed).toEqual([]);
  });

  test('releases on close what it is embedding, also if the running write fails first', async () => {
    const cards = cardsOf(200);
    const gate = deferred();
    let embedding = false;
    let writing = false;
    const { outbox, indexer } = worldOf({
      cards,
      embedder: {
        embed: async (texts, kind, perspective, signal) => {
          // Two passages of each card of the second batch.
          if (texts.length !== 2 * 50) return literalEmbedder.embed(texts, kind, perspective, signal);
          embedding = true;
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          // A model is not ended in no time.
          await new Promise((resolve) => setTimeout(resolve, 20));
          throw signal.reason;
        },
      },
      writer: {
        upsert: async () => {
          writing = true;
          await gate.opened;
          throw new UnavailableError('chroma', 'the vector server does not answer');
        },
      },
    });
    outbox.add(cards);
    start(indexer);
    await until(() => writing && embedding, { deadlineMs, what: 'both batches to be under way' });
    const closing = indexer.close();
    gate.open();
    await closing;
    expect([...outbox.released].sort()).toEqual(cards.map(({ id }) => id).sort());
  });

  test('ends a batch only after the writes to all collections have ended, even if one of them failed', async () => {
    const cards = cardsOf(1);
    const ended: string[] = [];
    const upsert: VectorWriter['upsert'] = async ({ perspective }) => {
      if (perspective === 'question') throw new UnavailableError('chroma', 'the vector server does not answer');
      await delay(5);
      ended.push(perspective);
    };
    const { outbox, indexer } = worldOf({ cards, writer: { upsert } });
    const endedAtRelease: number[] = [];
    const release = outbox.release.bind(outbox);
    outbox.release = async (claims) => {
      endedAtRelease.push(ended.length);
      await release(claims);
    };
    outbox.add(cards);
    start(indexer);
    await until(() => endedAtRelease.length > 0, { deadlineMs, what: 'the claim to be released' });
    expect(endedAtRelease[0]).toBe(PERSPECTIVES.length - 1);
  });

  test('finishes on close what it is writing', async () => {
    const cards = cardsOf(1);
    const writing: (() => void)[] = [];
    const upsert: VectorWriter['upsert'] = () => new Promise((resolve) => writing.push(resolve));
    const { outbox, indexer } = worldOf({ cards, writer: { upsert } });
    outbox.add(cards);
    start(indexer);
    await until(() => writing.length === PERSPECTIVES.length, { deadlineMs, what: 'the writing to begin' });
    const closing = indexer.close();
    for (const letGo of writing) letGo();
    await closing;
    expect(outbox.finished).toEqual(['c0']);
    expect(outbox.released).toEqual([]);
  });
});
