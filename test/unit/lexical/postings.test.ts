import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atOnce } from '../../../src/domain/steps.js';
import { Postings } from '../../../src/lexical/postings.js';
import { transposed } from '../../../src/lexical/restore-postings.js';
import { runs } from '../../support/runs.js';

type Model = readonly ReadonlyMap<number, number>[];

const LISTS = 6;
const modelArb: fc.Arbitrary<Model> = fc.array(
  fc
    .array(fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 9 })), { maxLength: 20 })
    .map((pairs) => new Map(pairs.sort(([a], [b]) => a - b))),
  { minLength: LISTS, maxLength: LISTS },
);

function listsOf(model: Model): Postings {
  const lists = new Postings();
  for (const [list, pairs] of model.entries()) for (const [key, count] of pairs) lists.insert(list, key, count);
  return lists;
}

function contentsOf(lists: Postings, count: number): [number, number][][] {
  return Array.from({ length: count }, (_, list) =>
    Array.from({ length: lists.length(list) }, (_, i): [number, number] => {
      const at = lists.start(list) + i;
      return [lists.keys[at] ?? -1, lists.counts[at] ?? -1];
    }),
  );
}

describe('postings lists', () => {
  test('contain what was put into them, sorted, however they grow, shrink and move', () => {
    const stepArb = fc.record({
      list: fc.nat(4),
      key: fc.nat(300),
      kind: fc.constantFrom('put', 'put', 'take', 'clear'),
    });
    fc.assert(
      fc.property(fc.array(stepArb, { maxLength: 3_000, size: 'max' }), (steps) => {
        const lists = new Postings();
        const model = Array.from({ length: 5 }, () => new Map<number, number>());
        for (const { list, key, kind } of steps) {
          const pairs = model[list] as Map<number, number>;
          if (kind === 'put' && !pairs.has(key)) {
            lists.insert(list, key, key + 1);
            pairs.set(key, key + 1);
          } else if (kind === 'take' && pairs.delete(key)) {
            lists.remove(list, key);
          } else if (kind === 'clear' && key < 3) {
            lists.clear(list);
            pairs.clear();
          }
        }
        expect(contentsOf(lists, 5)).toEqual(model.map((pairs) => [...pairs].sort(([a], [b]) => a - b)));
      }),
      { numRuns: runs(100) },
    );
  });

  test('count keys up and down as a map does', () => {
    const stepArb = fc.record({
      list: fc.nat(2),
      keys: fc.uniqueArray(fc.nat(500), { maxLength: 40 }),
      isUp: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(stepArb, { maxLength: 60 }), (steps) => {
        const lists = new Postings({ countBits: 32 });
        const model = Array.from({ length: 3 }, () => new Map<number, number>());
        // A list whose pairs move many at once.
        const even = Array.from({ length: 200 }, (_, place) => 2 * place);
        lists.increment(0, even);
        for (const key of even) model[0]?.set(key, 1);
        for (const { list, keys, isUp } of steps) {
          const pairs = model[list] as Map<number, number>;
          const counted = keys.filter((key) => isUp || pairs.has(key)).sort((a, b) => a - b);
          if (isUp) lists.increment(list, counted);
          else lists.decrement(list, counted);
          for (const key of counted) {
            const count = (pairs.get(key) ?? 0) + (isUp ? 1 : -1);
            if (count === 0) pairs.delete(key);
            else pairs.set(key, count);
          }
        }
        expect(contentsOf(lists, 3)).toEqual(model.map((pairs) => [...pairs].sort(([a], [b]) => a - b)));
      }),
      { numRuns: runs(100) },
    );
    expect(() => new Postings().decrement(0, [1])).toThrow('list 0 has no key 1');
  });

  test('that only grow take at most twice the memory of their contents, and so do their dictionaries', () => {
    const lists = new Postings();
    for (let key = 0; key < 2_000; key++) for (let list = 0; list < 100; list++) lists.insert(list, key, 1);
    expect(lists.bytes).toBeLessThan(2 * 200_000 * 6);
    expect(contentsOf(lists, 100).every((pairs) => pairs.length === 2_000 && pairs[7]?.[0] === 7)).toBe(true);
  });

  test('transposed twice are unchanged', () => {
    fc.assert(
      fc.property(modelArb, (model) => {
        const byKey = atOnce(transposed(listsOf(model), LISTS, 31, new Postings()));
        expect(
          contentsOf(byKey, 31).flatMap((pairs, key) => pairs.map(([list, count]) => [list, key, count])).length,
        ).toBe(model.reduce((sum, { size }) => sum + size, 0));
        const twice = atOnce(transposed(byKey, 31, LISTS, new Postings()));
        expect(contentsOf(twice, LISTS)).toEqual(model.map((pairs) => [...pairs]));
      }),
    );
  });
});
