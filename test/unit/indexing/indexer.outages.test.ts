import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import { type VectorStore } from '../../../src/domain/ports/collections.js';
import { deferred } from '../../support/deferred.js';
import { cardOf } from '../../support/generators.js';
import { until } from '../../support/until.js';
import { cardsOf, deadlineMs, live, poisonable, startingIndexers, worldOf } from './indexer-world.js';

describe('an indexer, while a part is unavailable,', () => {
  const start = startingIndexers();

  test('releases everything while a part is unavailable, without failed attempts, and continues when it is back', async () => {
    let outages = 2;
    const upsert: VectorStore['upsert'] = async ({ perspective }) => {
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

  test('indexes all cards of a server that is too slow for a whole batch', async () => {
    const cards = cardsOf(60);
    const upsert: VectorStore['upsert'] = async (_key, records) => {
      if (new Set(records.map(({ card }) => card.id)).size > 15)
        throw new UnavailableError('chroma', 'the vector server does not answer');
    };
    const { outbox, indexer } = worldOf({ cards, writer: { upsert } });
    outbox.add(cards);
    start(indexer);
    await until(() => outbox.finished.length === 60, { deadlineMs: 30_000, what: 'all cards to be indexed' });
    expect(outbox.failed).toEqual([]);
  });

  test('releases the cards of all tenants if a part fails while it indexes the first one', async () => {
    const ofFirst = cardsOf(3, { tenantId: 'first' });
    const ofSecond = [cardOf({ id: 's0', tenantId: 'second' }), cardOf({ id: 's1', tenantId: 'second' })];
    const cards = [...ofFirst, ...ofSecond];
    const generations = ['first', 'second'].map((tenantId, place) => ({ ...live, tenantId, number: place + 1 }));
    const upsert: VectorStore['upsert'] = async () => {
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
    const upsert: VectorStore['upsert'] = async ({ tenantId }) => {
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

  test('a school is indexed while this gateway lacks the model of another one, whose cards wait', async () => {
    const cards = ['foreign', 'healthy'].flatMap((tenantId) => cardsOf(3, { tenantId }));
    const named = cards.map((card) => ({ ...card, id: `${card.tenantId}-${card.id}` }));
    const generations = [
      { ...live, tenantId: 'foreign', number: 1, modelKey: 'a model of another gateway' },
      { ...live, tenantId: 'healthy', number: 2 },
    ];
    const { outbox, indexer } = worldOf({ cards: named, generations });
    outbox.add(named);
    start(indexer);
    const healthy = named.slice(3).map(({ id }) => id);
    await until(() => outbox.finished.length === 3, { deadlineMs, what: 'the school whose model is there' });
    expect([[...outbox.finished].sort(), outbox.failed, indexer.paused]).toEqual([healthy, [], true]);
  });

  test('releases the remaining cards if a part fails while it looks for a bad card', async () => {
    const cards = cardsOf(8).map((card, place) => (place === 7 ? { ...card, questionText: 'POISON' } : card));
    const upsert: VectorStore['upsert'] = async (_key, records) => {
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

  test('releases both batches if a part is unavailable, and indexes both later', async () => {
    const cards = cardsOf(200);
    let away = true;
    const gate = deferred();
    const { outbox, indexer } = worldOf({
      cards,
      writer: {
        upsert: async () => {
          await gate.promise;
          if (away) throw new UnavailableError('chroma', 'the vector server does not answer');
        },
      },
    });
    outbox.add(cards);
    start(indexer);
    await until(() => outbox.claims === 2, { deadlineMs, what: 'the second batch to be claimed' });
    gate.resolve();
    await until(() => outbox.released.length >= 200, { deadlineMs, what: 'both to be given back' });
    expect([...outbox.released.slice(0, 200)].sort()).toEqual(cards.map(({ id }) => id).sort());
    away = false;
    indexer.resume();
    await until(() => outbox.finished.length === 200, { deadlineMs, what: 'both to be done' });
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
});
