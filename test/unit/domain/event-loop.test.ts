import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atOnce, inSteps, inTurns, nextTurn, sortedSteps } from '../../../src/domain/steps.js';
import { runs } from '../../support/runs.js';

describe('work in turns', () => {
  test('is done in order, and yields after some milliseconds', async () => {
    let turn = 0;
    let ended = false;
    const others = (): void => {
      turn += 1;
      if (!ended) setImmediate(others);
    };
    setImmediate(others);
    const done: string[] = [];
    const turns = new Set<number>();
    await inTurns(['a', 'b', 'c'], (item) => {
      const began = performance.now();
      while (performance.now() - began < 10);
      done.push(item);
      turns.add(turn);
    });
    ended = true;
    expect(done).toEqual(['a', 'b', 'c']);
    expect(turns.size).toBe(3);
  });

  test('that fails rejects with its error, and the rest is not started', async () => {
    const done: number[] = [];
    const work = inTurns([1, 2, 3], (item) => {
      if (item === 2) throw new RangeError('no');
      done.push(item);
    });
    await expect(work).rejects.toThrow(RangeError);
    expect(done).toEqual([1]);
  });
});

test('of several that wait for the event loop, one continues in each of its iterations', async () => {
  const parts: number[] = [];
  let iteration = 0;
  const count = (): void => {
    iteration += 1;
    if (parts.length < 6) setImmediate(count);
  };
  setImmediate(count);
  const work = async (): Promise<void> => {
    for (let part = 0; part < 2; part++) {
      await nextTurn();
      parts.push(iteration);
    }
  };
  await Promise.all([work(), work(), work()]);
  expect(parts).toHaveLength(6);
  expect(new Set(parts).size).toBe(6);
});

describe('inSteps', () => {
  test('rejects with the reason of a signal that aborts during a pause, and closes the steps', async () => {
    const gone = new AbortController();
    let [steps, isClosed] = [0, false];
    function* endless(): Generator<void, never> {
      try {
        for (;;) {
          steps += 1;
          yield;
        }
      } finally {
        isClosed = true;
      }
    }
    const pause = async (): Promise<number> => {
      if (steps > 3) gone.abort(new Error('too late'));
      return 0;
    };
    await expect(inSteps(endless(), pause, gone.signal)).rejects.toThrow('too late');
    expect(isClosed).toBe(true);
  });
});

describe('sorting in steps', () => {
  const byKey = (a: { readonly key: number }, b: typeof a): number => a.key - b.key;

  test('sorts as toSorted does, equal items in their order', () => {
    const length = fc.constantFrom(0, 1, 999, 1_000, 1_001, 2_000, 3_500);
    fc.assert(
      fc.property(length, fc.integer({ min: 1, max: 5_000 }), fc.nat(), (count, keys, seed) => {
        const items = Array.from({ length: count }, (_, place) => ({ key: ((place + seed) * 7_919) % keys, place }));
        expect(atOnce(sortedSteps(items, byKey))).toEqual(items.toSorted(byKey));
      }),
      { numRuns: runs(100) },
    );
  });

  test('sorts and merges a thousand items a step, and leaves the given ones as they are', () => {
    const items = Array.from({ length: 4_000 }, (_, place) => ({ key: -place }));
    // Four runs, two pairs of them, and both of these.
    expect([...sortedSteps(items, byKey)]).toHaveLength(4 + 4 + 4);
    expect(items[0]).toEqual({ key: -0 });
  });
});
