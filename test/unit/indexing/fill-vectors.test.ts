import { describe, expect, test, vi } from 'vitest';
import { Background, Foreground } from '../../../src/domain/background.js';
import { UnavailableError } from '../../../src/domain/errors.js';
import { byPerspective } from '../../../src/domain/perspective.js';
import { recordId } from '../../../src/domain/ports/collections.js';
import type { Generation, IndexedCard } from '../../../src/domain/ports/ledger.js';
import type { StoredRecord } from '../../../src/domain/ports/vectors.js';
import { VectorFill } from '../../../src/indexing/fill-vectors.js';
import { StoredVectors } from '../../../src/vectors/stored.js';
import { among, memoryCache, vectorOf } from '../../support/memory-ports.js';

/** Question text of each card, by tenant. */
type Schools = Readonly<Record<string, ReadonlyMap<string, string>>>;

interface World {
  readonly schools: Schools;
  /** Called before the records of these cards are read. */
  readonly onRead?: (tenantId: string, cardIds: readonly string[]) => Promise<void> | void;
}

function worldOf({ schools, onRead = () => undefined }: World) {
  const cache = memoryCache();
  const read: string[][] = [];
  const lines: string[] = [];
  const warned: unknown[] = [];
  const foreground = new Foreground();
  /** Revision and text of each indexed card, by tenant; tests change them. */
  const ledgers = new Map(
    Object.entries(schools).map(([tenantId, cards]) => [
      tenantId,
      new Map([...cards].map(([id, text]) => [id, { revision: 1, text }])),
    ]),
  );
  const live = Object.keys(schools).map(
    (tenantId): Generation => ({ tenantId, number: 1, modelKey: 'm', state: 'live' }),
  );
  const open = new Map(Object.keys(schools).map((tenantId) => [tenantId, true]));
  const ledgerOf = (tenantId: string) => ledgers.get(tenantId) ?? new Map<string, { revision: number; text: string }>();
  const ledger = {
    revisions: async (tenantId: string) =>
      new Map([...ledgerOf(tenantId)].map(([id, { revision }]): [string, number] => [id, revision])),
    indexed: async (tenantId: string, _: number, ids: readonly string[]) =>
      new Map(
        [...among(ledgerOf(tenantId), ids)].map(([id, { revision, text }]): [string, IndexedCard] => {
          const passages = { ...byPerspective((): string[] => []), question: [`hash of ${text}`] };
          return [id, { revision, indexedAt: new Date(0), passages }];
        }),
      ),
  };
  const store = {
    read: async ({ tenantId, perspective }: { tenantId: string; perspective: string }, ids: readonly string[]) => {
      if (perspective !== 'question') return new Map<string, StoredRecord>();
      const cards = [...ledgerOf(tenantId)].filter(([id]) => ids.includes(recordId(id, 0)));
      read.push(cards.map(([id]) => id));
      // What is read is what the store has at the beginning of the read.
      const records = cards.map(([id, { revision, text }]): [string, StoredRecord] => [
        recordId(id, 0),
        { revision, contentHash: `hash of ${text}`, vector: vectorOf(text) },
      ]);
      await onRead(
        tenantId,
        cards.map(([id]) => id),
      );
      return new Map(records);
    },
  };
  const fill = new VectorFill({
    ledger,
    cache,
    stored: new StoredVectors(cache, store, ledger),
    tenants: { open },
    generations: { answering: async () => live },
    background: new Background(foreground),
    log: {
      info: (facts, message) => void lines.push(`${message}: ${JSON.stringify({ ...facts, tookMs: undefined })}`),
      warn: (facts) => void warned.push(facts),
    },
  });
  return { fill, cache, read, lines, warned, foreground, ledgers, live, open };
}

function cardsOf(count: number): ReadonlyMap<string, string> {
  return new Map(Array.from({ length: count }, (_, place) => [`card-${place}`, `question ${place}`]));
}

describe('VectorFill', () => {
  test('reads what the cache lacks, in pages, and says how many', async () => {
    const { fill, cache, read, lines } = worldOf({ schools: { t: cardsOf(250) } });
    const passages = { ...byPerspective(() => []), question: [vectorOf('question 0')] };
    await cache.put('t', 1, new Map([['card-0', { revision: 1, passages }]]));
    await fill.pass();
    expect(cache.entries.size).toBe(250);
    expect(read.map((page) => page.length)).toEqual([100, 100, 49]);
    expect(read.flat()).not.toContain('card-0');
    expect(lines).toEqual([
      'filling the local copy of the vectors: {"tenantId":"t","generation":1,"cards":250,"lacking":249}',
      'local copy of the vectors filled: {"tenantId":"t","generation":1,"cards":250,"lacking":249,"filled":249}',
    ]);
  });

  test('says and reads nothing if nothing is lacking', async () => {
    const { fill, read, lines, cache, ledgers } = worldOf({ schools: { t: new Map() } });
    const known = { revision: 1, passages: { ...byPerspective(() => []), question: [vectorOf('known')] } };
    await cache.put('t', 1, new Map([['card-0', known]]));
    ledgers.get('t')?.set('card-0', { revision: 1, text: 'known' });
    await fill.pass();
    expect([read, lines]).toEqual([[], []]);
  });

  test('compares a generation again after a quarter of an hour, and replaces vectors of earlier revisions', async () => {
    const { fill, cache, ledgers } = worldOf({ schools: { t: cardsOf(1) } });
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      await fill.pass();
      ledgers.get('t')?.set('card-0', { revision: 2, text: 'another question' });
      await fill.pass();
      expect(cache.revision('t', 1, 'card-0')).toBe(1);
      vi.advanceTimersByTime(16 * 60_000);
      await fill.pass();
    } finally {
      vi.useRealTimers();
    }
    expect(cache.get('t', 1, 'card-0')?.passages.question).toEqual([vectorOf('another question')]);
  });

  test('fills a generation that became live since', async () => {
    const { fill, cache, live } = worldOf({ schools: { t: cardsOf(3) } });
    await fill.pass();
    live[0] = { ...(live[0] ?? never()), number: 2 };
    await fill.pass();
    expect([...new Set(cache.generations().map(({ number }) => number))]).toEqual([1, 2]);
  });

  test('leaves out tenants that are not in memory, and compares them again when they are', async () => {
    const { fill, cache, open } = worldOf({ schools: { t: cardsOf(3) } });
    open.clear();
    await fill.pass();
    expect(cache.entries.size).toBe(0);
    open.set('t', true);
    await fill.pass();
    expect(cache.entries.size).toBe(3);
    open.clear();
    await fill.pass();
    // As a load does with vectors that another gateway has replaced.
    await cache.remove('t', 1, ['card-1']);
    open.set('t', true);
    await fill.pass();
    expect(cache.entries.size).toBe(3);
  });

  test('a card that is deleted or changed meanwhile keeps no vector of before', async () => {
    const newer = { revision: 2, passages: { ...byPerspective(() => []), question: [vectorOf('new')] } };
    const world = worldOf({
      schools: { t: cardsOf(150) },
      onRead: async (tenantId, ids) => {
        // As the indexer does: the cache first, then the ledger.
        if (ids.includes('card-0')) {
          await world.cache.put(tenantId, 1, new Map([['card-0', newer]]));
          await world.cache.remove(tenantId, 1, ['card-1']);
          world.ledgers.get(tenantId)?.delete('card-1');
          world.ledgers.get(tenantId)?.delete('card-120');
        }
      },
    });
    await world.fill.pass();
    expect(world.cache.revision('t', 1, 'card-0')).toBe(2);
    expect(world.cache.revision('t', 1, 'card-1')).toBeUndefined();
    expect(world.cache.revision('t', 1, 'card-120')).toBeUndefined();
    // Cards of the same page that nobody removed are kept.
    expect(world.cache.revision('t', 1, 'card-2')).toBe(1);
    expect(world.lines.at(-1)).toContain('"filled":148');
  });

  test('a tenant that cannot be read does not keep the others from it, and is tried again', async () => {
    let failures = 1;
    const { fill, cache, read, warned } = worldOf({
      schools: { a: cardsOf(2), b: cardsOf(2) },
      onRead: (tenantId) => {
        if (tenantId === 'a' && failures-- > 0) throw new UnavailableError('chroma', 'it is away');
      },
    });
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      await fill.pass();
      expect(cache.generations().map(({ tenantId }) => tenantId)).toEqual(['b', 'b']);
      expect(warned).toEqual([{ err: expect.objectContaining({ code: 'UNAVAILABLE' }), tenantId: 'a' }]);
      await fill.pass();
      expect(cache.entries.size).toBe(2);
      vi.advanceTimersByTime(30_000);
      await fill.pass();
    } finally {
      vi.useRealTimers();
    }
    expect(cache.entries.size).toBe(4);
    expect(read).toHaveLength(3);
  });

  test('waits for the searches of clients before each page', async () => {
    const { fill, cache, read, foreground } = worldOf({ schools: { t: cardsOf(50) } });
    foreground.begin();
    const passing = fill.pass();
    await new Promise(setImmediate);
    expect(read).toEqual([]);
    foreground.end();
    await passing;
    expect(cache.entries.size).toBe(50);
  });

  test('abandons the current page when it is closed, without a warning', async () => {
    let reading = (): void => undefined;
    const began = new Promise<void>((resolve) => {
      reading = resolve;
    });
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { fill, cache, warned, read } = worldOf({
      schools: { t: cardsOf(300) },
      onRead: () => {
        reading();
        return gate;
      },
    });
    fill.start();
    await began;
    const closed = fill.close();
    go();
    await closed;
    expect(read).toHaveLength(1);
    expect(cache.entries.size).toBeLessThanOrEqual(100);
    expect(warned).toEqual([]);
  });
});

function never(): never {
  throw new Error('it is missing');
}
