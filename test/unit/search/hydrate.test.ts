import { describe, expect, test } from 'vitest';
import type { CardStore } from '../../../src/domain/ports/cards.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { hydrate } from '../../../src/search/hydrate.js';
import { cardOf } from '../../support/generators.js';
import { among } from '../../support/memory-ports.js';

/** More candidates than any search wants, row by row. */
const cardIds = Array.from({ length: 200 }, (_, row) => `c${row}`);

/** A store that has all cards but these, and remembers how often it was asked. */
function storeWithout(...gone: readonly string[]): Pick<CardStore, 'byIds'> & { calls: number } {
  const all = new Map(cardIds.map((id) => [id, cardOf({ id })]));
  for (const id of gone) all.delete(id);
  return {
    calls: 0,
    async byIds(_viewer, ids) {
      this.calls += 1;
      return among(all, ids);
    },
  };
}

async function readFrom(store: Pick<CardStore, 'byIds'>, rows: readonly number[], wanted: number) {
  const found = await hydrate(store, DEFAULT_VIEWER, { rows, cardIds, wanted }, new AbortController().signal);
  return found.map(({ row, card }) => [row, card.id]);
}

describe('hydrate', () => {
  test('answers the first rows as they are stored now, in the order of the rows', async () => {
    expect(await readFrom(storeWithout(), [7, 0, 30, 4], 3)).toEqual([
      [7, 'c7'],
      [0, 'c0'],
      [30, 'c30'],
    ]);
  });

  test('passes over cards that are gone and fills their places from the next best', async () => {
    expect(await readFrom(storeWithout('c7', 'c30'), [7, 0, 30, 4, 5, 6], 3)).toEqual([
      [0, 'c0'],
      [4, 'c4'],
      [5, 'c5'],
    ]);
  });

  test('answers fewer cards where there are fewer', async () => {
    expect(await readFrom(storeWithout('c1'), [0, 1], 10)).toEqual([[0, 'c0']]);
    expect(await readFrom(storeWithout(), [], 10)).toEqual([]);
  });

  test('reads the cards in one call, however many are gone', async () => {
    const store = storeWithout('c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7');
    await readFrom(store, [...cardIds.keys()], 150);
    expect(store.calls).toBe(1);
  });
});
