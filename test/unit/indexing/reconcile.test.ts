import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NO_FOREGROUND } from '../../../src/domain/background.js';
import type { Card } from '../../../src/domain/card.js';
import { byPerspective, PERSPECTIVES } from '../../../src/domain/perspective.js';
import type { Reconciliation } from '../../../src/domain/ports/gateway.js';
import type { AuditedCard, Generation, IndexedCard } from '../../../src/domain/ports/ledger.js';
import { PRIORITY } from '../../../src/domain/ports/outbox.js';
import { prepareCards, writeCards } from '../../../src/indexing/index-cards.js';
import { type Pass, type ReconcileParts, reconcile } from '../../../src/indexing/reconcile.js';
import { cardOf, contentArb } from '../../support/generators.js';
import { LexicalIndexes } from '../../support/lexical-indexes.js';
import {
  among,
  collectionName,
  literalEmbedder,
  literalModel,
  literalWords,
  memoryCache,
  memoryIndex,
  vectorOf,
} from '../../support/memory-ports.js';

const live: Generation = { tenantId: 'default', number: 1, modelKey: literalModel, state: 'live' };
const signal = new AbortController().signal;

/** Cards, what the ledger says, the outbox and the index, all in memory. */
class World {
  readonly cards = new Map<string, Card>();
  readonly ledger = new Map<string, IndexedCard>();
  /** Whether the ledger is right about the card: not of those that reconciliation marks. */
  readonly dirty = new Map<string, boolean>();
  readonly index = memoryIndex();
  readonly cache = memoryCache();

  #compared: Pass['compared'] = null;

  /** One pass, and after it the indexer's work. */
  async pass(): Promise<Reconciliation> {
    const { found, compared } = await reconcile(this.#parts(), live, signal, this.#compared);
    this.#compared = compared;
    await this.work();
    return found;
  }

  async work(): Promise<void> {
    const claims = [...this.dirty].map(([cardId, ledgerIsRight]) => {
      return {
        tenantId: 'default',
        cardId,
        seq: 1n,
        token: 't',
        priority: PRIORITY.change,
        attempts: 1,
        ledgerIsRight,
      };
    });
    const parts = {
      ledger: {
        cards: async (_tenantId: string, ids: readonly string[]) => among(this.cards, ids),
        indexed: async (_tenantId: string, _generation: number, ids: readonly string[]) => among(this.ledger, ids),
      },
      vectorStore: this.index,
      cache: this.cache,
      lexical: new LexicalIndexes(literalWords),
      onEmbedded: () => undefined,
      background: NO_FOREGROUND,
    };
    const writable = [{ generation: live, embedder: literalEmbedder }];
    for (const { claim, outcomes } of await writeCards(
      parts,
      await prepareCards(parts, 'default', claims, writable, signal),
      () => undefined,
    )) {
      this.dirty.delete(claim.cardId);
      for (const { indexed } of outcomes) {
        if (indexed === null) this.ledger.delete(claim.cardId);
        else this.ledger.set(claim.cardId, indexed);
      }
    }
  }

  /** Every record that there is, without its vector's digits. */
  contents(): unknown {
    const collections = [...this.index.collections].filter(([, records]) => records.size > 0);
    return new Map(collections.map(([name, records]) => [name, new Map([...records].sort())]));
  }

  #parts(): ReconcileParts {
    const audited = (cardId: string): AuditedCard => ({
      cardId,
      revision: this.cards.get(cardId)?.revision ?? null,
      indexed: this.ledger.get(cardId) ?? null,
      waiting: this.dirty.has(cardId),
    });
    const known = (): readonly string[] => [...new Set([...this.cards.keys(), ...this.ledger.keys()])].sort();
    const records = (perspective: (typeof PERSPECTIVES)[number]) =>
      this.index.collections.get(collectionName({ tenantId: 'default', generation: 1, perspective })) ?? new Map();
    return {
      background: NO_FOREGROUND,
      audit: {
        totals: async () => ({
          state: JSON.stringify([[...this.cards].map(([id, { revision }]) => [id, revision]), [...this.ledger]]),
          records: byPerspective((perspective) =>
            [...this.ledger.values()].reduce((sum, { passages }) => sum + passages[perspective].length, 0),
          ),
        }),
        page: async (_tenantId, _generation, after, limit) =>
          known()
            .filter((id) => id > after)
            .slice(0, limit)
            .map(audited),
        cards: async (_tenantId, _generation, ids) =>
          new Map(ids.filter((id) => known().includes(id) || this.dirty.has(id)).map((id) => [id, audited(id)])),
        mark: async (_tenantId, ids) => {
          for (const id of ids) this.dirty.set(id, false);
        },
        revive: async () => 0,
      },
      vectorStore: {
        ...this.index,
        list: async ({ perspective }, offset, limit) => [...records(perspective).keys()].slice(offset, offset + limit),
        labels: async ({ perspective }, ids) =>
          new Map(
            [...among(records(perspective), ids)].map(([id, { contentHash, revision }]) => {
              return [id, { contentHash, revision, tenantId: 'default' }];
            }),
          ),
        count: async ({ perspective }) => records(perspective).size,
        nearest: this.index.nearest,
        invalidate: async ({ perspective }, ids) => {
          for (const [id, record] of among(records(perspective), ids)) {
            records(perspective).set(id, { ...record, contentHash: '' });
          }
        },
      },
      cache: this.cache,
      random: Math.random,
    };
  }
}

/** What may go wrong behind the index's back, with the place of the card, or record, that it strikes. */
const damageArb = fc.record({
  kind: fc.constantFrom(
    ...(['record lost', 'record of other text', 'record of older card', 'vector of other text', 'orphan'] as const),
    ...(['ledger forgot', 'card changed', 'card deleted'] as const),
  ),
  place: fc.nat(20),
  perspective: fc.constantFrom(...PERSPECTIVES),
});
type Damage = typeof damageArb extends fc.Arbitrary<infer T> ? T : never;

function strike(world: World, { kind, place, perspective }: Damage): void {
  const name = collectionName({ tenantId: 'default', generation: 1, perspective });
  const records = world.index.collections.get(name) ?? new Map();
  world.index.collections.set(name, records);
  const [recordId, record] = [...records][place % Math.max(1, records.size)] ?? [];
  const [id, card] = [...world.cards][place % Math.max(1, world.cards.size)] ?? [];
  const changed = (change: Partial<NonNullable<typeof record>>): void => {
    if (record !== undefined) records.set(recordId, { ...record, ...change });
  };
  const blows: Readonly<Record<Damage['kind'], () => void>> = {
    'record lost': () => records.delete(recordId),
    'record of other text': () => changed({ contentHash: 'of another text' }),
    'record of older card': () => changed({ revision: 0 }),
    'vector of other text': () => changed({ vector: vectorOf(`another text ${place}`) }),
    orphan: () => {
      const cardId = `orphan-${place % 4}`;
      records.set(`${cardId}#${place}`, { cardId, revision: 1, contentHash: 'of nobody', vector: vectorOf('nobody') });
    },
    'ledger forgot': () => world.ledger.delete(String(id)),
    'card changed': () => {
      if (card === undefined) return;
      world.cards.set(card.id, { ...card, questionText: 'changed', revision: card.revision + 1 });
    },
    'card deleted': () => world.cards.delete(String(id)),
  };
  blows[kind]();
}

/** What an index built anew from the cards holds. */
async function builtAnew(world: World): Promise<unknown> {
  const fresh = new World();
  for (const [id, card] of world.cards) {
    fresh.cards.set(id, card);
    fresh.dirty.set(id, true);
  }
  await fresh.work();
  return fresh.contents();
}

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Reconciliation rests between two pages: nothing here waits for that. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.setTimerTickMode('nextTimerAsync');
});
afterEach(() => void vi.useRealTimers());

describe('reconcile', () => {
  test('makes the index equal to a rebuilt one after any damage, and is then idempotent', async () => {
    const cards = fc.array(contentArb, { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(cards, fc.array(damageArb, { maxLength: 8 }), async (contents, damages) => {
        const world = new World();
        contents.forEach((content, place) => {
          world.cards.set(`card-${place}`, cardOf({ ...content, id: `card-${place}` }));
          world.dirty.set(`card-${place}`, true);
        });
        await world.work();
        for (const damage of damages) strike(world, damage);
        const first = await world.pass();
        // A vector is tried of cards that have no other fault: it may take a second pass to come to it.
        if (first.repaired > 0) await world.pass();
        expect(world.contents()).toEqual(await builtAnew(world));
        const before = world.contents();
        const nothing = { missing: 0, stale: 0, orphans: 0, unreachable: 0, repaired: 0, cards: world.cards.size };
        expect(await world.pass()).toMatchObject(nothing);
        expect(world.contents()).toEqual(before);
      }),
    );
  });

  test('compares an unchanged index page by page, unless the number of records of a collection has changed', async () => {
    const world = new World();
    for (let place = 0; place < 600; place += 1) {
      const id = `card-${String(place).padStart(3, '0')}`;
      world.cards.set(id, cardOf({ id, questionText: `question ${place}` }));
      world.dirty.set(id, true);
    }
    await world.work();
    const compared = async (): Promise<number> => (await world.pass()).cards;
    expect([await compared(), await compared(), await compared(), await compared()]).toEqual([600, 500, 100, 500]);
    strike(world, { kind: 'orphan', place: 0, perspective: 'concept' });
    expect(await world.pass()).toMatchObject({ cards: 600, orphans: 1 });
    // Where something was found, all is looked at once more.
    expect([await compared(), await compared()]).toEqual([600, 500]);
    strike(world, { kind: 'record lost', place: 599, perspective: 'question' });
    expect(await world.pass()).toMatchObject({ cards: 600, missing: 1 });
    expect([await compared(), await compared()]).toEqual([600, 500]);
    strike(world, { kind: 'card changed', place: 599, perspective: 'question' });
    expect(await world.pass()).toMatchObject({ cards: 600, stale: 1 });
  });
});
