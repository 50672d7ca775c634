import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import { PERSPECTIVES } from '../../../src/domain/perspective.js';
import { type VectorStore } from '../../../src/domain/ports/collections.js';
import type { Embedder } from '../../../src/domain/ports/models.js';
import { deferred } from '../../support/deferred.js';
import { literalEmbedder } from '../../support/memory-ports.js';
import { until } from '../../support/until.js';
import { cardsOf, deadlineMs, startingIndexers, worldOf } from './indexer-world.js';

describe('an indexer', () => {
  const start = startingIndexers();

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
          await gate.promise;
          throw new UnavailableError('chroma', 'the vector server does not answer');
        },
      },
    });
    outbox.add(cards);
    start(indexer);
    await until(() => writing && embedding, { deadlineMs, what: 'both batches to be under way' });
    const closing = indexer.close();
    gate.resolve();
    await closing;
    expect([...outbox.released].sort()).toEqual(cards.map(({ id }) => id).sort());
  });

  test('finishes on close what it is writing', async () => {
    const cards = cardsOf(1);
    const writing: (() => void)[] = [];
    const upsert: VectorStore['upsert'] = () => new Promise((resolve) => writing.push(resolve));
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
