import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import type { Generation } from '../../../src/domain/ports/ledger.js';
import { PRIORITY } from '../../../src/domain/ports/outbox.js';
import { cardOf } from '../../support/generators.js';
import { literalEmbedder } from '../../support/memory-ports.js';
import { until } from '../../support/until.js';
import { cardsOf, deadlineMs, live, startingIndexers, worldOf } from './indexer-world.js';

describe('an indexer, with a backlog of a rebuild,', () => {
  const start = startingIndexers();

  test('acknowledges the single changes of a batch, then its imported cards, and tells those who wait, before it embeds the rest', async () => {
    const ofSchool = cardOf({ id: 's0', tenantId: 'school' });
    const cards = [...cardsOf(5).map((card, place) => ({ ...card, questionText: `question ${place}` })), ofSchool];
    const events: string[] = [];
    const { outbox, indexer } = worldOf({
      cards,
      generations: [live, { ...live, tenantId: 'school', number: 2 }],
      embedder: {
        embed: async (texts, ...rest) => {
          events.push(...texts.filter((text) => /^question \d/.test(text)));
          return literalEmbedder.embed(texts, ...rest);
        },
      },
    });
    indexer.onBatch(() => events.push(`finished ${outbox.finished.length}`));
    outbox.add(cards.slice(0, 3), { priority: PRIORITY.rebuild });
    outbox.add(cards.slice(3, 4), { priority: PRIORITY.bulk });
    outbox.add(cards.slice(4));
    start(indexer);
    await until(() => outbox.finished.length === 6, { deadlineMs, what: 'all to be done' });
    expect(outbox.finished).toEqual(['c4', 's0', 'c3', 'c0', 'c1', 'c2']);
    expect(events.slice(0, 8)).toEqual([
      'question 4',
      'finished 1',
      'finished 2',
      'question 3',
      'finished 3',
      'question 0',
      'question 1',
      'question 2',
    ]);
  });

  test('goes on with it at every eighth full batch while imports never end, and with them at once before', async () => {
    const cards = [...cardsOf(2_000), cardOf({ id: 'rebuilt' })];
    const { outbox, indexer } = worldOf({ cards });
    const { claim } = outbox;
    outbox.claim = async (limit, ...args) => {
      await new Promise(setImmediate);
      if (!outbox.finished.includes('rebuilt')) {
        const first = (outbox.claims * limit) % 1_800;
        outbox.add(cards.slice(first, first + limit), { priority: PRIORITY.bulk });
      }
      return claim.call(outbox, limit, ...args);
    };
    outbox.add(cards.slice(-1), { priority: PRIORITY.rebuild });
    start(indexer);
    await until(() => outbox.finished.includes('rebuilt'), { deadlineMs, what: 'the card of the rebuild' });
    expect(outbox.finished.indexOf('rebuilt')).toBe(8 * 150 - 1);
  });

  test('does not try the rebuild of a school whose single changes could not be indexed', async () => {
    const cards = cardsOf(4);
    let writes = 0;
    const upsert = async (): Promise<void> => {
      writes += 1;
      throw new UnavailableError('chroma', 'the vector server does not answer');
    };
    const { outbox, indexer } = worldOf({ cards, writer: { upsert } });
    outbox.add(cards.slice(0, 3), { priority: PRIORITY.rebuild });
    outbox.add(cards.slice(3));
    start(indexer);
    await until(() => outbox.released.length > 0, { deadlineMs, what: 'the batch to be given back' });
    expect([writes, [...outbox.released].sort()]).toEqual([4, ['c0', 'c1', 'c2', 'c3']]);
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
    await until(() => generations.get(2)?.state === 'live', { deadlineMs, what: 'the new school' });
  });
});
