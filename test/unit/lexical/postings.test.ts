import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atOnce } from '../../../src/domain/async.js';
import { Postings, type PostingsSnapshot } from '../../../src/lexical/postings.js';
import { keptLists, transposed } from '../../../src/lexical/restore-postings.js';
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

  test('that only grow take at most twice the memory of their contents, and so do their dictionaries', () => {
    const lists = new Postings();
    for (let key = 0; key < 2_000; key++) for (let list = 0; list < 100; list++) lists.insert(list, key, 1);
    expect(lists.bytes).toBeLessThan(2 * 200_000 * 6);
    expect(contentsOf(lists, 100).every((pairs) => pairs.length === 2_000 && pairs[7]?.[0] === 7)).toBe(true);
  });

  test('are restored from a snapshot, except lists that are not kept', () => {
    fc.assert(
      fc.property(modelArb, fc.array(fc.nat(1), { minLength: LISTS, maxLength: LISTS }), (model, flags) => {
        const holds = { kept: Uint8Array.from(flags), terms: new Uint32Array(31) };
        const lists = atOnce(keptLists(listsOf(model).snapshot(LISTS), new Postings(), holds));
        const expected = model.map((pairs, list) => (flags[list] === 1 ? [...pairs] : []));
        expect(contentsOf(lists, LISTS)).toEqual(expected);
        const holders = Array.from(holds.terms, (_, key) =>
          expected.filter((pairs) => pairs.some(([one]) => one === key)),
        );
        expect([...holds.terms]).toEqual(holders.map(({ length }) => length));
      }),
    );
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

  test.each<[string, Partial<PostingsSnapshot>]>([
    ['a list that ends outside', { lengths: Uint32Array.of(4) }],
    ['keys that nobody knows', { keys: Uint32Array.of(1, 2, 9) }],
    ['keys that do not ascend', { keys: Uint32Array.of(1, 2, 2) }],
    ['a count of nothing', { counts: Uint16Array.of(1, 0, 1) }],
    ['parts that do not fit', { starts: Uint32Array.of(0, 0) }],
  ])('a copy with %s is refused', (_, wrong) => {
    const right: PostingsSnapshot = {
      starts: Uint32Array.of(0),
      lengths: Uint32Array.of(3),
      keys: Uint32Array.of(1, 2, 3),
      counts: Uint16Array.of(1, 1, 1),
    };
    const take = (copy: PostingsSnapshot) =>
      atOnce(keptLists(copy, new Postings(), { kept: Uint8Array.of(1), terms: new Uint32Array(9) }));
    expect(take(right).length(0)).toBe(3);
    expect(() => take({ ...right, ...wrong })).toThrow(RangeError);
  });
});
