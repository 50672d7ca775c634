import { describe, expect, test } from '@jest/globals';
import { DEFAULT_VIEWER } from '../../src/domain/viewer.js';
import type { CardStore } from '../../src/ports.js';
import type { FusedCard } from '../../src/search/fuse.js';
import { hydrate } from '../../src/search/hydrate.js';
import { cardOf } from '../support/generators.js';
import { among } from '../support/memory-ports.js';

function ranked(count: number): readonly FusedCard[] {
  return Array.from({ length: count }, (_, place) => ({ cardId: `c${place}`, score: 1 - place / 100, lanes: [] }));
}

/** A store that has all cards but these, and remembers how often it was asked. */
function storeWithout(...gone: readonly string[]): Pick<CardStore, 'byIds'> & { calls: number } {
  const all = new Map(ranked(100).map(({ cardId }) => [cardId, cardOf({ id: cardId })]));
  for (const id of gone) all.delete(id);
  return {
    calls: 0,
    async byIds(_viewer, ids) {
      this.calls += 1;
      return among(all, ids);
    },
  };
}

describe('hydrate', () => {
  test('answers the best topK as they are stored now, in order, ranked from 1', async () => {
    const hits = await hydrate(storeWithout(), DEFAULT_VIEWER, ranked(30), 3);
    expect(hits.map(({ card, rank, score }) => [card.id, rank, score])).toEqual([
      ['c0', 1, 1],
      ['c1', 2, 0.99],
      ['c2', 3, 0.98],
    ]);
  });

  test('passes over cards that are gone and fills their places from the next best', async () => {
    const hits = await hydrate(storeWithout('c0', 'c2'), DEFAULT_VIEWER, ranked(30), 3);
    expect(hits.map(({ card, rank }) => [card.id, rank])).toEqual([
      ['c1', 1],
      ['c3', 2],
      ['c4', 3],
    ]);
  });

  test('answers fewer hits where there are fewer', async () => {
    expect(await hydrate(storeWithout('c1'), DEFAULT_VIEWER, ranked(2), 10)).toHaveLength(1);
    expect(await hydrate(storeWithout(), DEFAULT_VIEWER, [], 10)).toEqual([]);
  });

  test('reads the cards in one call, however many are gone', async () => {
    const store = storeWithout('c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7');
    await hydrate(store, DEFAULT_VIEWER, ranked(100), 50);
    expect(store.calls).toBe(1);
  });
});
