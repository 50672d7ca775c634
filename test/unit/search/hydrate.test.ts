import { describe, expect, test } from 'vitest';
import { hydrate, type ReadMatching } from '../../../src/search/find.js';
import { cardOf } from '../../support/generators.js';
import { among } from '../../support/memory-ports.js';

/** More candidates than any search wants, row by row. */
const cardIds = Array.from({ length: 200 }, (_, row) => `c${row}`);

interface Store {
  readonly matching: ReadMatching;
  calls: number;
}

/** Lets all cards through but these, and remembers how often it was asked. */
function storeWithout(...gone: readonly string[]): Store {
  const matching = new Map(cardIds.map((id) => [id, { card: cardOf({ id }), indexedRevision: 1 }]));
  for (const id of gone) matching.delete(id);
  const store: Store = {
    calls: 0,
    matching: async (ids) => {
      store.calls += 1;
      return among(matching, ids);
    },
  };
  return store;
}

async function readFrom(store: Store, rows: readonly number[], wanted: number) {
  const { pool } = await hydrate(store.matching, { rows, cardIds, wanted });
  return pool.map(({ row, card }) => [row, card.id]);
}

describe('hydrate', () => {
  test('returns the first rows as currently stored, in order', async () => {
    expect(await readFrom(storeWithout(), [7, 0, 30, 4], 3)).toEqual([
      [7, 'c7'],
      [0, 'c0'],
      [30, 'c30'],
    ]);
  });

  test('skips deleted cards and fills up with the next best', async () => {
    expect(await readFrom(storeWithout('c7', 'c30'), [7, 0, 30, 4, 5, 6], 3)).toEqual([
      [0, 'c0'],
      [4, 'c4'],
      [5, 'c5'],
    ]);
  });

  test('returns fewer cards if there are fewer', async () => {
    expect(await readFrom(storeWithout('c1'), [0, 1], 10)).toEqual([[0, 'c0']]);
    expect(await readFrom(storeWithout(), [], 10)).toEqual([]);
  });

  test('reads the cards in one call, unless too many are deleted', async () => {
    const first = cardIds.slice(0, 8);
    const store = storeWithout(...first.slice(0, 5));
    expect(await readFrom(store, [...cardIds.keys()], 150)).toHaveLength(150);
    expect(store.calls).toBe(1);
    const other = storeWithout(...first);
    expect(await readFrom(other, [...cardIds.keys()], 150)).toHaveLength(150);
    expect(other.calls).toBe(2);
  });

  test('returns the ids of rejected cards', async () => {
    const { gone } = await hydrate(storeWithout('c1', 'c3').matching, { rows: [0, 1, 2, 3], cardIds, wanted: 4 });
    expect(gone).toEqual(['c1', 'c3']);
  });
});
