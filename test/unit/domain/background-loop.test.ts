import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { delay } from '../../../src/domain/async.js';
import { BackgroundLoop } from '../../../src/domain/background-loop.js';

const AGAIN_MS = 1_000;
const FAILED_MS = 300;
const REST_MS = 50;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A loop whose passes take `tookMs` and fail on demand, and when each began. */
function world({ tookMs = 0, restMs = 0 } = {}) {
  const passes: { readonly atMs: number; readonly woken: boolean }[] = [];
  const began = performance.now();
  let fails = false;
  let running = 0;
  const loop = new BackgroundLoop({
    pass: async (woken) => {
      running += 1;
      expect(running).toBe(1);
      passes.push({ atMs: performance.now() - began, woken });
      if (tookMs > 0) await delay(tookMs);
      running -= 1;
      if (fails) throw new Error('unavailable');
      return AGAIN_MS;
    },
    onFailure: () => FAILED_MS,
    restMs,
  });
  const fail = (now: boolean): void => {
    fails = now;
  };
  return { loop, passes, fail, times: () => passes.map(({ atMs }) => Math.round(atMs)) };
}

describe('a background loop', () => {
  test('leaves nothing on its signal by its waits', async () => {
    const combined = vi.spyOn(AbortSignal, 'any');
    const { loop, passes } = world({ restMs: REST_MS });
    loop.start(200);
    await vi.advanceTimersByTimeAsync(10 * AGAIN_MS);
    expect(passes.length).toBeGreaterThan(5);
    expect(getEventListeners(loop.signal, 'abort').length).toBeLessThanOrEqual(1);
    expect(combined).not.toHaveBeenCalled();
    await loop.close();
    expect(getEventListeners(loop.signal, 'abort')).toEqual([]);
  });

  test('repeats its pass after the delay that the pass or its failure returns', async () => {
    const { loop, times, fail } = world();
    loop.start(200);
    loop.start(0);
    await vi.advanceTimersByTimeAsync(1_300);
    expect(times()).toEqual([200, 1_200]);
    fail(true);
    await vi.advanceTimersByTimeAsync(1_600);
    expect(times()).toEqual([200, 1_200, 2_200, 2_500, 2_800]);
    await loop.close();
  });

  test('can be woken while it waits, and during a pass', async () => {
    const { loop, passes } = world({ tookMs: 100 });
    loop.start();
    await vi.advanceTimersByTimeAsync(50);
    loop.wake();
    loop.wake();
    await vi.advanceTimersByTimeAsync(500);
    loop.wake();
    await vi.advanceTimersByTimeAsync(200);
    expect(passes).toEqual([
      { atMs: 0, woken: false },
      { atMs: 100, woken: true },
      { atMs: 550, woken: true },
    ]);
    await loop.close();
  });

  test('keeps the delay after a failure when woken, until it is resumed', async () => {
    const { loop, times, fail } = world();
    fail(true);
    loop.start();
    await vi.advanceTimersByTimeAsync(10);
    loop.wake();
    await vi.advanceTimersByTimeAsync(100);
    expect(times()).toEqual([0]);
    loop.resume();
    await vi.advanceTimersByTimeAsync(100);
    expect(times()).toEqual([0, 110]);
    await loop.close();
  });

  test('aborts a running pass when it is closed, waits for it, and starts no other', async () => {
    let aborted = 0;
    const failures: Error[] = [];
    const loop = new BackgroundLoop({
      pass: async (_, signal) => {
        await delay(60_000, signal);
        await delay(10);
        aborted += 1;
        throw new Error('cut off');
      },
      onFailure: (error) => failures.push(error),
    });
    loop.start();
    await vi.advanceTimersByTimeAsync(100);
    loop.wake();
    const closed = Promise.all([loop.close(), loop.close()]);
    expect(aborted).toBe(0);
    await vi.advanceTimersByTimeAsync(10);
    await closed;
    expect({ aborted, failures }).toEqual({ aborted: 1, failures: [] });
  });

  test('closes at once if it was never started', async () => {
    await world().loop.close();
  });

  test('runs one pass at a time, never before its minimum delay, and one after the last wake-up, in any order of events', async () => {
    const events = fc.array(
      fc.record({ afterMs: fc.nat(400), kind: fc.constantFrom('wake', 'resume', 'fail', 'work') }),
      {
        maxLength: 20,
      },
    );
    await fc.assert(
      fc.asyncProperty(events, fc.nat(80), async (all, tookMs) => {
        const { loop, times, fail } = world({ tookMs, restMs: REST_MS });
        const began = performance.now();
        loop.start();
        let lastMs = 0;
        for (const { afterMs, kind } of all) {
          await vi.advanceTimersByTimeAsync(afterMs);
          if (kind === 'wake' || kind === 'resume') {
            loop[kind]();
            lastMs = performance.now() - began;
          } else fail(kind === 'fail');
        }
        await vi.advanceTimersByTimeAsync(FAILED_MS + 2 * (tookMs + REST_MS) + 10);
        const at = times();
        for (const [place, ms] of at.entries()) {
          if (place > 0) expect(ms - (at[place - 1] as number)).toBeGreaterThanOrEqual(tookMs + REST_MS);
        }
        expect(at.at(-1)).toBeGreaterThanOrEqual(Math.floor(lastMs));
        const closed = loop.close();
        await vi.advanceTimersByTimeAsync(100);
        await closed;
      }),
      { numRuns: 50 },
    );
  });
});
