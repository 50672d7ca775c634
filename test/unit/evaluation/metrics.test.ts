import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BETTER, type HitFacts, METRICS, measure } from '../../../src/evaluation/metrics.js';
import { runs } from '../../support/runs.js';
import { naiveMetrics } from './naive-metrics.js';

const plain = (cardId: string): HitFacts => ({ questionKey: cardId, topics: [] });
const grades = (given: Readonly<Record<string, number>>) => new Map(Object.entries(given));

describe('the measures, worked by hand', () => {
  test('of a list with relevant cards in the places 2, 3 and 6', () => {
    // Gains 0 3 2 0 0 1: 3/log2(3) + 2/log2(4) + 1/log2(7) = 1.892789 + 1 + 0.356207 = 3.248996.
    // Ideal 3 2 2 1: 3 + 2/log2(3) + 2/log2(4) + 1/log2(5) = 3 + 1.261860 + 1 + 0.430677 = 5.692536.
    const values = measure({
      hits: ['x', 'a', 'b', 'y', 'z', 'c'],
      grades: grades({ a: 3, b: 2, missed: 2, c: 1, wrong: 0 }),
      factsOf: plain,
      k: 50,
    });
    expect(values.ndcgAt10).toBeCloseTo(3.248996 / 5.692536, 6);
    expect(values.mrr).toBe(1 / 2);
    expect(values.recallAt5).toBe(2 / 4);
    expect(values.recallAt10).toBe(3 / 4);
    expect(values.recallAtK).toBe(3 / 4);
    expect(values.precisionAt10).toBe(3 / 10);
    expect(values.zeroResultRate).toBe(0);
  });

  test('of the best possible list are 1, and that of 12 relevant cards has room for 10', () => {
    const ids = Array.from({ length: 12 }, (_, place) => `c${place}`);
    const values = measure({ hits: ids, grades: new Map(ids.map((id) => [id, 1])), factsOf: plain, k: 50 });
    expect(values).toMatchObject({ ndcgAt10: 1, mrr: 1, precisionAt10: 1, recallAtK: 1 });
    expect(values.recallAt5).toBe(5 / 12);
    expect(values.recallAt10).toBe(10 / 12);
  });

  test('distinguish the 11th hit from the 10th', () => {
    const hits = [...'abcdefghij', 'good'];
    const values = measure({ hits, grades: grades({ good: 1 }), factsOf: plain, k: 11 });
    expect(values).toMatchObject({ ndcgAt10: 0, precisionAt10: 0, recallAt10: 0, recallAtK: 1, mrr: 1 / 11 });
    expect(measure({ hits, grades: grades({ good: 1 }), factsOf: plain, k: 10 }).recallAtK).toBe(0);
  });

  test('of an empty list are 0, except the rate of empty lists', () => {
    const values = measure({ hits: [], grades: grades({ a: 1 }), factsOf: plain, k: 50 });
    expect(values).toEqual({
      ndcgAt10: 0,
      mrr: 0,
      recallAt5: 0,
      recallAt10: 0,
      recallAtK: 0,
      precisionAt10: 0,
      zeroResultRate: 1,
      duplicateRate: 0,
      topics: 0,
    });
  });

  test('count a question that occurs three times as two duplicates, and a topic once', () => {
    const facts: Readonly<Record<string, HitFacts>> = {
      a: { questionKey: '1/2+1/3', topics: ['fractions'] },
      b: { questionKey: 'x^2=9', topics: ['equations', 'roots'] },
      c: { questionKey: '1/2+1/3', topics: ['fractions', 'adding'] },
      d: { questionKey: '1/2+1/3', topics: [] },
    };
    const factsOf = (cardId: string): HitFacts => facts[cardId] as HitFacts;
    const values = measure({ hits: ['a', 'b', 'c', 'd'], grades: grades({ a: 1 }), factsOf, k: 50 });
    expect(values.duplicateRate).toBe(2 / 4);
    expect(values.topics).toBe(4);
  });

  test('are refused if no card is relevant, because all lists would be equal', () => {
    expect(() => measure({ hits: ['a'], grades: grades({ a: 0 }), factsOf: plain, k: 5 })).toThrow(
      'without any relevant card',
    );
  });
});

const id = fc.integer({ min: 0, max: 30 }).map((number) => `c${number}`);
const lists = fc.record({
  hits: fc.uniqueArray(id, { maxLength: 25 }),
  grades: fc
    .uniqueArray(fc.tuple(id, fc.integer({ min: 0, max: 4 })), { selector: ([cardId]) => cardId, maxLength: 20 })
    .map((entries) => new Map([...entries, ['always', 1] as const])),
  k: fc.integer({ min: 1, max: 50 }),
});
const factsOf = (cardId: string): HitFacts => {
  const number = cardId === 'always' ? 0 : Number(cardId.slice(1));
  return { questionKey: `q${number % 7}`, topics: number % 3 === 0 ? [] : [`t${number % 5}`, `t${number % 4}`] };
};

describe('the measures of any list', () => {
  test('equal a naive computation of their definitions', () => {
    fc.assert(
      fc.property(lists, (list) => {
        const values = measure({ ...list, factsOf });
        const naive = naiveMetrics({ ...list, factsOf });
        for (const metric of METRICS) expect(values[metric]).toBeCloseTo(naive[metric], 12);
      }),
      { numRuns: runs(500) },
    );
  });

  test('never decrease, where more is better, when a hit changes places with a better one below it', () => {
    const rising = METRICS.filter((metric) => BETTER[metric] === 'higher');
    expect(rising).toContain('ndcgAt10');
    fc.assert(
      fc.property(lists, fc.nat(), fc.nat(), (list, one, other) => {
        const gradeOf = (place: number): number => list.grades.get(list.hits[place] as string) ?? 0;
        const [above, below] = [one % list.hits.length, other % list.hits.length].sort((a, b) => a - b) as [
          number,
          number,
        ];
        fc.pre(above < below && gradeOf(above) < gradeOf(below));
        const better = list.hits.with(above, list.hits[below] as string).with(below, list.hits[above] as string);
        const [before, after] = [measure({ ...list, factsOf }), measure({ ...list, hits: better, factsOf })];
        for (const metric of rising) expect(after[metric]).toBeGreaterThanOrEqual(before[metric] - 1e-12);
      }),
      { numRuns: runs(500) },
    );
  });
});
