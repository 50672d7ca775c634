import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { delay } from '../../../src/domain/async.js';
import { NO_FOREGROUND } from '../../../src/domain/background.js';
import type { Card } from '../../../src/domain/card.js';
import { IndexLostError, UnavailableError } from '../../../src/domain/errors.js';
import { PERSPECTIVES } from '../../../src/domain/perspective.js';
import { recordId, type VectorStore } from '../../../src/domain/ports/collections.js';
import type { Generation } from '../../../src/domain/ports/ledger.js';
import { nextTurn } from '../../../src/domain/steps.js';
import { deferred } from '../../support/deferred.js';
import { cardOf } from '../../support/generators.js';
import { collectionName, literalEmbedder, vectorOf } from '../../support/memory-ports.js';
import { until } from '../../support/until.js';
import { cardsOf, deadlineMs, live, poisonable, startingIndexers, worldOf } from './indexer-world.js';

describe('Indexer', () => {
  const start = startingIndexers();

  test('isolates the one bad card of a batch, and indexes the 19 others', async () => {
    const cards = cardsOf(20).map((card, place) => (place === 9 ? { ...card, questionText: 'POISON' } : card));
    const { outbox, indexer } = worldOf({ cards, embedder: poisonable });
    outbox.add(cards, { attempts: 3 });
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
    outbox.add(cards, { attempts: 8 });
    start(indexer);
    await until(() => outbox.finished.length + outbox.failed.length === 20, { deadlineMs, what: 'the batch to end' });
    expect(outbox.failed.map(({ cardId }) => cardId)).toEqual(['c0', 'c7', 'c8', 'c19']);
    expect(outbox.failed.map(({ retryAfterMs }) => retryAfterMs)).toEqual([null, null, null, null]);
  });

  test('prolongs the claims of a batch that takes long, until they are indexed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const cards = [...cardsOf(2), cardOf({ id: 's0', tenantId: 'school' })];
    const gate = deferred();
    let isWriting = false;
    const { outbox, indexer } = worldOf({
      cards,
      generations: [live, { ...live, tenantId: 'school', number: 2 }],
      writer: {
        upsert: async ({ tenantId }) => {
          if (tenantId !== 'school') return;
          isWriting = true;
          await gate.promise;
        },
      },
    });
    outbox.add(cards);
    start(indexer);
    await until(() => isWriting, { deadlineMs, what: 'the second tenant to be written' });
    vi.advanceTimersByTime(25_000);
    expect([outbox.finished, outbox.prolonged]).toEqual([
      ['c0', 'c1'],
      ['s0', 's0'],
    ]);
    gate.resolve();
    await until(() => outbox.finished.length === 3, { deadlineMs, what: 'the batch to end' });
    await indexer.close();
    vi.advanceTimersByTime(25_000);
    expect(outbox.prolonged).toHaveLength(2);
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
          await gate.promise;
          if (perspective === 'question') written.push(...records.map(({ card }) => card.id));
        },
      },
    });
    outbox.add(cards);
    start(indexer);
    await until(() => embedded.has('question 150'), { deadlineMs, what: 'the second batch to be embedded' });
    expect([outbox.claims, outbox.finished, written]).toEqual([2, [], []]);
    gate.resolve();
    await until(() => outbox.finished.length === 400, { deadlineMs, what: 'all to be done' });
    expect(outbox.finished).toEqual(cards.map(({ id }) => id));
    expect([...new Set(written)]).toEqual(outbox.finished);
  });

  test('writes the next batch while the one before is being acknowledged, but not before its last tenant is written', async () => {
    const ofSchool = cardsOf(20).map(({ id }) => cardOf({ id: `s${id}`, tenantId: 'school' }));
    const cards = [...cardsOf(130), ...ofSchool, ...cardsOf(300).slice(150)];
    const written = new Set<string>();
    const { outbox, indexer } = worldOf({
      cards,
      generations: [live, { ...live, tenantId: 'school', number: 2 }],
      writer: {
        upsert: async ({ perspective }, records) => {
          if (perspective === 'question') for (const { card } of records) written.add(card.id);
        },
      },
    });
    const gate = deferred();
    const done = outbox.done.bind(outbox);
    outbox.done = async (results) => {
      const isFirst = results.some(({ claim }) => claim.cardId === 'c0');
      if (isFirst) await until(() => outbox.claims === 2, { deadlineMs, what: 'the second batch to be claimed' });
      else await gate.promise;
      await done(results);
    };
    outbox.add(cards);
    start(indexer);
    await until(() => written.size === 300, { deadlineMs, what: 'the second batch to be written' });
    expect(outbox.finished).toHaveLength(130);
    expect([...written]).toEqual(cards.map(({ id }) => id));
    gate.resolve();
    await until(() => outbox.finished.length === 300, { deadlineMs, what: 'all to be done' });
  });

  test('embeds the next batch after one was written, while clients search', async () => {
    const cards = cardsOf(300).map((card, place) => ({ ...card, questionText: `question ${place}` }));
    const embedded = new Set<string>();
    const atWrites: number[] = [];
    const { outbox, indexer } = worldOf({
      cards,
      background: { ...NO_FOREGROUND, isContended: () => true },
      embedder: {
        embed: async (texts, ...rest) => {
          for (const text of texts) if (text.startsWith('question')) embedded.add(text);
          return literalEmbedder.embed(texts, ...rest);
        },
      },
      writer: {
        upsert: async () => {
          await until(() => outbox.claims >= 2, { deadlineMs, what: 'the second batch to be claimed' });
          for (let turn = 0; turn < 50; turn += 1) await nextTurn();
          atWrites.push(embedded.size);
        },
      },
    });
    outbox.add(cards);
    start(indexer);
    await until(() => outbox.finished.length === 300, { deadlineMs, what: 'all to be done' });
    expect(atWrites).toEqual([...PERSPECTIVES.map(() => 150), ...PERSPECTIVES.map(() => 300)]);
  });

  test('rests after each batch while the live index is replaced, and not while cards wait for it', async () => {
    const cards = cardsOf(300);
    const restsWith = async (generations: readonly Generation[]): Promise<number> => {
      let rests = 0;
      const rest = async (): Promise<void> => {
        rests += 1;
      };
      const { outbox, indexer } = worldOf({ cards, generations, background: { ...NO_FOREGROUND, rest } });
      outbox.add(cards);
      start(indexer);
      await until(() => outbox.finished.length === 300, { deadlineMs, what: 'all to be done' });
      await indexer.close();
      return rests;
    };
    expect(await restsWith([live])).toBe(0);
    expect(await restsWith([{ ...live, state: 'building' }])).toBe(0);
    expect(await restsWith([live, { ...live, number: 2, state: 'building' }])).toBe(2);
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

  test('rebuilds a lost live index beside it, without being blocked by the lost one', async () => {
    const lost = new IndexLostError('a collection of the index is missing');
    const upsert: VectorStore['upsert'] = async ({ generation }) => {
      if (generation === 1) throw lost;
    };
    const probe: VectorStore['probe'] = async ({ number }) => {
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
    const { outbox, manager, indexer } = worldOf({ cards, probe: () => gate.promise });
    const probed = manager.verify();
    start(indexer);
    for (const [place, card] of cards.entries()) {
      outbox.add([card]);
      await until(() => outbox.finished.length > place, { deadlineMs, what: `${card.id} to be indexed` });
    }
    gate.resolve();
    await probed;
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

  test('ends a batch only after the writes to all collections have ended, even if one of them failed', async () => {
    const cards = cardsOf(1);
    const ended: string[] = [];
    const upsert: VectorStore['upsert'] = async ({ perspective }) => {
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
});
