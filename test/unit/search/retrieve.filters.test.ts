import { describe, expect, test } from 'vitest';
import type { VectorStore } from '../../../src/domain/ports/collections.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { DEEPEST, plan } from '../../../src/search/plan.js';
import { requestOf } from '../../support/generators.js';
import { candidatesBy, indexOf, uncovered, weights } from './retrieve-world.js';

describe('retrieval with a selective filter', () => {
  const filter = { difficultyMin: 5 };
  const matching = requestOf({ weights: { ...weights, solution: 0, concept: 0 }, topK: 1, filter });

  /** Neighbours in order of their names, as many as are asked for. */
  const nearestOf = (cards: number, asked: number[] = []): Pick<VectorStore, 'nearest'> => ({
    nearest: async (_key, _vectors, limit) => {
      asked.push(limit);
      const count = Math.min(cards, limit);
      return [Array.from({ length: count }, (_, place) => ({ cardId: `n${place}`, similarity: 0.5 }))];
    },
  });
  /** Every `n`th card from the place `least` on matches, of so many cards. */
  const everyNth = (n: number, least: number, cards = 3_000): LexicalIndex =>
    indexOf(cards, (place) => (place >= least && place % n === 0 ? 5 : 1));
  const found = async (index: LexicalIndex, matched: number, reader: Pick<VectorStore, 'nearest'>) => {
    const given = plan(matching, matched, uncovered(3_000));
    const { cardIds } = await candidatesBy(reader, { plan: given, index, filter });
    return { given, cardIds };
  };

  test('asks once where enough of the neighbours match', async () => {
    const asked: number[] = [];
    const { given, cardIds } = await found(everyNth(10, 0), 300, nearestOf(3_000, asked));
    expect(asked).toEqual([given.depth]);
    expect(cardIds.length).toBeGreaterThanOrEqual(given.enough);
  });

  test('asks for more where fewer match than was to be expected, and stops when it has enough', async () => {
    const asked: number[] = [];
    const { given, cardIds } = await found(everyNth(100, 0), 3_000, nearestOf(3_000, asked));
    // One of four that are wanted matched: four times as many should do, and half as many again are asked for.
    expect(asked).toEqual([100, 600]);
    expect(cardIds.length).toBeGreaterThanOrEqual(given.enough);
  });

  test('asks again for as long as more neighbours come and too few of them match', async () => {
    const asked: number[] = [];
    const index = indexOf(22_000, (place) => (place === 0 || place >= 900 ? 5 : 1));
    const { given, cardIds } = await found(index, 3_000, nearestOf(22_000, asked));
    expect(asked).toEqual([100, 600, DEEPEST]);
    expect(cardIds).toHaveLength(101);
    expect(given.enough).toBeLessThan(101);
  });

  test('never asks for more neighbours than the deepest search, and not again where there are no more', async () => {
    const far: number[] = [];
    await found(everyNth(1, 2_990), 3_000, nearestOf(3_000, far));
    expect(far).toEqual([100, DEEPEST]);
    const few: number[] = [];
    await found(everyNth(100, 0), 3_000, nearestOf(50, few));
    expect(few).toHaveLength(2);
  });

  test('looks through the matches themselves where none of them is near', async () => {
    const { cardIds } = await found(everyNth(1, 2_990), 3_000, nearestOf(3_000));
    expect(cardIds).toEqual(Array.from({ length: 10 }, (_, place) => `n${2_990 + place}`));
  });

  test('answers with what it found where none of many matches is near', async () => {
    const index = everyNth(1, 999, 21_000);
    expect((await found(index, 3_000, nearestOf(3_000))).cardIds).toEqual(['n999']);
  });
});
