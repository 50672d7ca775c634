import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atOnce } from '../../../src/domain/steps.js';
import { ForwardIndex } from '../../../src/lexical/forward-index.js';
import type { Pairs } from '../../../src/lexical/pairs.js';
import { Postings } from '../../../src/lexical/postings.js';
import { keptLists, renumbered, transposed } from '../../../src/lexical/restore-postings.js';
import { runs } from '../../support/runs.js';

type Contents = readonly (readonly [key: number, count: number])[];

/** Gaps and counts of one to several bytes. */
const numberArb = fc.oneof(fc.nat(3), fc.nat(300), fc.nat(70_000));
const countArb = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 65_535 }));
const contentsArb: fc.Arbitrary<Contents> = fc
  .uniqueArray(fc.tuple(numberArb, countArb), { selector: ([key]) => key, maxLength: 20 })
  .map((pairs) => pairs.sort(([a], [b]) => a - b));
const modelArb = fc.array(contentsArb, { minLength: 1, maxLength: 6 });
const BELOW = 70_001;

function pairsOf(contents: Contents): Pairs {
  // The places around the pairs are not theirs.
  const keys = Uint32Array.from([7, ...contents.map(([key]) => key), 7]);
  const counts = Uint16Array.from([7, ...contents.map(([, count]) => count), 7]);
  return { keys, counts, start: 1, end: 1 + contents.length };
}

function listsOf(model: readonly Contents[]): ForwardIndex {
  const lists = new ForwardIndex();
  for (const [list, contents] of model.entries()) lists.write(list, pairsOf(contents));
  return lists;
}

function contentsOf(lists: { pairsOf(list: number): Pairs }, count: number): (readonly [number, number])[][] {
  return Array.from({ length: count }, (_, list) => {
    const { keys, counts, start, end } = lists.pairsOf(list);
    return Array.from({ length: end - start }, (_, at) => [keys[start + at] as number, counts[start + at] as number]);
  });
}

describe('the lists of a forward index', () => {
  test('contain what was written last, however often lists are cleared and written anew', () => {
    const stepArb = fc.record({ list: fc.nat(40), contents: fc.option(contentsArb, { nil: [] }) });
    fc.assert(
      fc.property(fc.array(stepArb, { maxLength: 300, size: 'max' }), (steps) => {
        const lists = new ForwardIndex();
        const model: Contents[] = Array.from({ length: 41 }, () => []);
        for (const { list, contents } of steps) {
          lists.clear(list);
          if (contents.length > 0) lists.write(list, pairsOf(contents));
          model[list] = contents;
        }
        expect(contentsOf(lists, 41)).toEqual(model);
        expect(model.map((_, list) => lists.has(list))).toEqual(model.map(({ length }) => length > 0));
        expect(model.map((_, list) => [...lists.keysOf(list)])).toEqual(model.map((own) => own.map(([key]) => key)));
      }),
      { numRuns: runs(100) },
    );
  });

  test('filled with keys in any order have each of them once', () => {
    const lists = new ForwardIndex();
    lists.fill(3, [900, 0, 128, 127, 0]);
    expect(contentsOf(lists, 4)[3]).toEqual([0, 127, 128, 900].map((key) => [key, 1]));
  });

  test('that are written anew again and again take at most three times the memory of their contents', () => {
    const lists = new ForwardIndex();
    const contents = Array.from({ length: 1_000 }, (_, key) => [2 * key, 1] as const);
    for (let time = 0; time < 500; time++) {
      lists.clear(time % 10);
      lists.write(time % 10, pairsOf(contents));
    }
    // A byte for each pair; and room for a list of pairs as long as they can be.
    expect(lists.bytes).toBeLessThan(3 * (10 * 1_000 + 8 * 1_000));
    expect(contentsOf(lists, 10)).toEqual(Array.from({ length: 10 }, () => contents));
  });

  test('are restored from a snapshot, except lists that are not kept, and a snapshot does not change', () => {
    fc.assert(
      fc.property(modelArb, fc.infiniteStream(fc.nat(1)), contentsArb, (model, flags, later) => {
        const original = listsOf(model);
        const snapshot = original.snapshot(model.length);
        const holds = {
          kept: Uint8Array.from(model, () => flags.next().value as number),
          terms: new Uint32Array(BELOW),
        };
        const lists = atOnce(keptLists(snapshot, holds));
        const expected = model.map((contents, list) => (holds.kept[list] === 1 ? contents : []));
        expect(contentsOf(lists, model.length)).toEqual(expected);
        const holders = new Map<number, number>();
        for (const [key] of expected.flat()) holders.set(key, (holders.get(key) ?? 0) + 1);
        for (const [key, count] of holders) expect(holds.terms[key]).toBe(count);
        expect(holds.terms.reduce((sum, count) => sum + count, 0)).toBe(expected.flat().length);
        for (const changed of [original, lists]) {
          changed.clear(0);
          changed.write(0, pairsOf(later));
        }
        const all = { kept: new Uint8Array(model.length).fill(1), terms: new Uint32Array(BELOW) };
        expect(contentsOf(atOnce(keptLists(snapshot, all)), model.length)).toEqual(model);
      }),
      { numRuns: runs(100) },
    );
  });

  test('some of them are copied, and numbered anew in the order of their keys', () => {
    fc.assert(
      fc.property(modelArb, fc.infiniteStream(fc.boolean()), (model, chosen) => {
        const places = Uint32Array.from([...model.keys()].filter(() => chosen.next().value));
        const original = listsOf(model).snapshotOf(places);
        const { lists, kept } = atOnce(renumbered({ original }, BELOW));
        const contents = Array.from(places, (place) => model[place] as Contents);
        expect([...kept]).toEqual([...new Set(contents.flat().map(([key]) => key))].sort((a, b) => a - b));
        const copy = new ForwardIndex();
        copy.restore(lists.original);
        const renamed = contentsOf(copy, places.length).map((own) => own.map(([key, count]) => [kept[key], count]));
        expect(renamed).toEqual(contents);
      }),
    );
  });

  test('are transposed as postings are', () => {
    fc.assert(
      fc.property(modelArb, (model) => {
        const byKey = atOnce(transposed(listsOf(model), model.length, BELOW, new Postings()));
        const keys = [...new Set(model.flat().map(([key]) => key))];
        for (const key of keys) {
          const expected = model.flatMap((contents, list) =>
            contents.filter(([own]) => own === key).map(([, count]) => [list, count]),
          );
          const { start, end } = byKey.pairsOf(key);
          const found = Array.from({ length: end - start }, (_, at) => [
            byKey.keys[start + at],
            byKey.counts[start + at],
          ]);
          expect(found).toEqual(expected);
        }
      }),
    );
  });
});
