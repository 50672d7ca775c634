import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Card } from '../../../src/domain/card.js';
import { byPerspective, PERSPECTIVES } from '../../../src/domain/perspective.js';
import type { Generation } from '../../../src/domain/ports/ledger.js';
import type { LexicalSnapshot } from '../../../src/domain/ports/lexical.js';
import type { VectorCache } from '../../../src/domain/ports/vectors.js';
import { LABEL_PERSPECTIVES } from '../../../src/domain/search.js';
import { type LoadTenantParts, loadTenant } from '../../../src/indexing/load-tenant.js';
import { type LexicalCard, LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { cardOf, contentArb } from '../../support/generators.js';
import { among, literalWords, memoryCache } from '../../support/memory-ports.js';
import { runs } from '../../support/runs.js';
import { turnCounter } from '../../support/turns.js';

const generations: readonly Generation[] = [
  { tenantId: 'one', number: 1, modelKey: 'm', state: 'live' },
  { tenantId: 'one', number: 2, modelKey: 'm', state: 'building' },
  { tenantId: 'other', number: 1, modelKey: 'm', state: 'live' },
];

const TENANTS = ['one', 'other'];

/** PostgreSQL, a place for copies, and what was asked and said. */
class Stage {
  readonly stored = new Map<string, Map<string, Card>>([
    ['one', new Map()],
    ['other', new Map()],
  ]);
  readonly copies = new Map<string, LexicalSnapshot>();
  /** Cards that no generation holds yet. */
  readonly unindexed = new Set<string>();
  sharedCache: VectorCache | null = null;
  readonly read: string[] = [];
  readonly logged: object[] = [];
  readonly indexes = new Map<string, LexicalIndex>();
  newIndex = (): LexicalIndex => new LexicalIndex(literalWords);
  stopping = new AbortController();
  /** Fails every read of cards after so many. */
  readsLeft = Number.POSITIVE_INFINITY;

  put(...cards: readonly Card[]): void {
    for (const card of cards) this.stored.get(card.tenantId)?.set(card.id, card);
  }

  async load(): Promise<void> {
    const { copies } = this;
    const parts: LoadTenantParts<LexicalIndex> = {
      ledger: {
        generations: async (of) => generations.filter(({ tenantId }) => tenantId === of?.tenantId),
        versions: async (tenantId) =>
          new Map(
            [...(this.stored.get(tenantId) ?? [])].map(([id, { revision, updatedAt }]) => [
              id,
              { revision, updatedAtMs: updatedAt.getTime() },
            ]),
          ),
        revisions: async (tenantId, generation) =>
          new Map(
            generation === 1
              ? [...(this.stored.get(tenantId) ?? [])]
                  .filter(([id]) => !this.unindexed.has(id))
                  .map(([id, { revision }]) => [id, revision])
              : [],
          ),
        cards: async (tenantId, ids) => {
          this.readsLeft -= 1;
          if (this.readsLeft < 0) throw new Error('the connection is lost');
          this.read.push(...ids);
          return among(this.stored.get(tenantId) ?? new Map(), ids);
        },
      },
      sharedCache: this.sharedCache,
      newIndex: () => this.newIndex(),
      store: { read: async (tenantId) => copies.get(tenantId) ?? null },
      log: { info: (facts) => this.logged.push(facts) },
      signal: this.stopping.signal,
    };
    for (const tenantId of TENANTS) this.indexes.set(tenantId, await loadTenant(parts, tenantId));
  }

  of(tenantId: string): LexicalIndex {
    return this.indexes.get(tenantId) as LexicalIndex;
  }

  /** The gateway is gone; what it kept is there. */
  restart(): void {
    for (const [tenantId, index] of this.indexes) this.copies.set(tenantId, index.snapshot());
    this.indexes.clear();
    this.read.length = 0;
    this.logged.length = 0;
  }
}

function cardsOf(tenantId: string, count: number): readonly Card[] {
  return Array.from({ length: count }, (_, place) => {
    return cardOf({ id: `c${String(place).padStart(5, '0')}`, tenantId, questionText: `${tenantId} ${place}` });
  });
}

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});

describe('without a snapshot', () => {
  test('every card of every tenant is read, once', async () => {
    stage.put(...cardsOf('one', 1_234), ...cardsOf('other', 3));
    await stage.load();
    expect([stage.of('one').size, stage.of('other').size]).toEqual([1_234, 3]);
    expect(stage.of('one').texts.search('question', ['1233'], 5)).toMatchObject([{ cardId: 'c01233' }]);
    expect(stage.of('other').texts.search('question', ['one'], 5)).toEqual([]);
    expect(stage.read).toHaveLength(1_237);
    expect(stage.logged).toMatchObject([
      { tenantId: 'one', cards: 1_234, read: 1_234 },
      { tenantId: 'other', cards: 3, read: 3 },
    ]);
  });

  test('cards that are not indexed yet are skipped', async () => {
    stage.put(...cardsOf('one', 3));
    stage.unindexed.add('c00001');
    await stage.load();
    expect(stage.of('one').cards.ids()).toEqual(['c00000', 'c00002']);
  });

  test('exactly the vectors of deleted cards, and of other revisions than the indexed ones, are removed', async () => {
    stage.put(...cardsOf('one', 3).map((card) => ({ ...card, revision: 2 })));
    const cache = memoryCache();
    stage.sharedCache = cache;
    const passages = byPerspective(() => []);
    // The fourth card is in no ledger.
    const revisions = [2, 1, 3, 2];
    await cache.put('one', 1, new Map(revisions.map((revision, place) => [`c0000${place}`, { revision, passages }])));
    await cache.put('other', 3, new Map([['c00000', { revision: 1, passages }]]));
    await stage.load();
    expect([...cache.entries.keys()]).toEqual(['one/1/c00000', 'other/3/c00000']);
  });

  test('the cached vectors are compared without being read', async () => {
    stage.put(...cardsOf('one', 3));
    const cache = memoryCache();
    await cache.put('one', 1, new Map([['c00000', { revision: 1, passages: byPerspective(() => []) }]]));
    const get = vi.fn(cache.get);
    stage.sharedCache = { ...cache, get };
    await stage.load();
    expect(get).not.toHaveBeenCalled();
    expect(cache.revision('one', 1, 'c00000')).toBe(1);
  });

  test('loading yields to other work', async () => {
    stage.put(...cardsOf('one', 60));
    class Slow extends LexicalIndex {
      override set(card: LexicalCard): void {
        const began = performance.now();
        while (performance.now() - began < 2);
        super.set(card);
      }
    }
    stage.newIndex = () => new Slow(literalWords);
    const counter = turnCounter();
    counter.start();
    await stage.load();
    counter.stop();
    expect(counter.turns).toBeGreaterThan(15);
  });

  test('an aborted start ends the loading with its reason', async () => {
    stage.stopping.abort(new Error('the start is given up'));
    await expect(stage.load()).rejects.toThrow('the start is given up');
  });

  test('cards that cannot be read fail the loading', async () => {
    stage.put(...cardsOf('one', 1_234));
    stage.readsLeft = 1;
    await expect(stage.load()).rejects.toThrow('the connection is lost');
  });
});

describe('with a snapshot', () => {
  test('only cards changed in the meantime are read, and deleted ones are removed', async () => {
    stage.put(...cardsOf('one', 100), ...cardsOf('other', 3));
    await stage.load();
    stage.restart();
    await stage.load();
    expect(stage.read).toEqual([]);
    expect(stage.logged).toMatchObject([
      { cards: 100, read: 0 },
      { cards: 3, read: 0 },
    ]);

    stage.restart();
    stage.put(cardOf({ id: 'c00007', tenantId: 'one', questionText: 'changed', revision: 2 }));
    stage.put(cardOf({ id: 'new', tenantId: 'one', questionText: 'new' }));
    // Deleted, forgotten by the index and created again: the same revision, another card.
    stage.put(cardOf({ id: 'c00008', tenantId: 'one', questionText: 'again', updatedAt: new Date('2026-04-01') }));
    stage.stored.get('one')?.delete('c00009');
    await stage.load();
    expect([...stage.read].sort()).toEqual(['c00007', 'c00008', 'new']);
    const index = stage.of('one');
    expect(index.size).toBe(100);
    const found = ['changed', 'new', 'again', '7', '8', '9', '10'].map((word) =>
      index.texts.search('question', [word], 5).map(({ cardId }) => cardId),
    );
    expect(found).toEqual([['c00007'], ['new'], ['c00008'], [], [], [], ['c00010']]);
  });

  test('for any changes in any order, the index equals that of a first start', async () => {
    const idArb = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const changeArb = fc.record({ id: idArb, content: fc.option(contentArb, { freq: 3 }), again: fc.boolean() });
    const changesArb = fc.array(changeArb, { maxLength: 10 });
    const queryArb = fc.array(fc.constantFrom('解方程', 'area', 'sign', 'error', '勾股定理', '1'), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(changesArb, { maxLength: 4 }), queryArb, async (rounds, query) => {
        const own = new Stage();
        let moment = Date.UTC(2026, 0, 1);
        for (const changes of rounds) {
          for (const { id, content, again } of changes) {
            moment += 1;
            const before = own.stored.get('one')?.get(id);
            own.stored.get('one')?.delete(id);
            if (content === null) continue;
            const revision = again ? 1 : (before?.revision ?? 0) + 1;
            own.put(cardOf({ ...content, tenantId: 'one', id, revision, updatedAt: new Date(moment) }));
          }
          await own.load();
          own.restart();
        }
        await own.load();
        const first = new Stage();
        for (const card of own.stored.get('one')?.values() ?? []) first.put(card);
        await first.load();
        const [index, fresh] = [own.of('one'), first.of('one')];
        expect(index.size).toBe(fresh.size);
        for (const perspective of PERSPECTIVES) {
          expect(index.texts.search(perspective, query, 9)).toEqual(fresh.texts.search(perspective, query, 9));
        }
        for (const perspective of LABEL_PERSPECTIVES) {
          expect(index.profiles[perspective].rank(query, 9)).toEqual(fresh.profiles[perspective].rank(query, 9));
        }
      }),
      { numRuns: runs(200) },
    );
  });
});
