import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { delay } from '../../../src/domain/async.js';
import { Background, Foreground, PATIENCE_MS, REQUEST_MS } from '../../../src/domain/background.js';
import { nextTurn, SHORT_TURN_MS, TURN_MS } from '../../../src/domain/steps.js';

describe('steps of background work', () => {
  test('run one at a time, in the order in which they were requested', async () => {
    const { take } = new Background(new Foreground());
    const steps: string[] = [];
    let underWay = 0;
    const work = async (name: string): Promise<void> => {
      for (let step = 1; step <= 3; step += 1) {
        await take(async () => {
          underWay += 1;
          expect(underWay).toBe(1);
          await nextTurn();
          steps.push(`${name}${step}`);
          underWay -= 1;
        });
      }
    };
    await Promise.all([work('a'), work('b')]);
    expect(steps).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  });

  test('continue after a failed step, whose error only its own work gets', async () => {
    const { take } = new Background(new Foreground());
    const failing = take(() => Promise.reject(new Error('a page could not be read')));
    const next = take(() => 'the next page');
    await expect(failing).rejects.toThrow('a page could not be read');
    expect(await next).toBe('the next page');
  });
});

describe('background work beside searches of clients', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Searches: each begins so many ms after the one before it, and takes so many ms; or requests, ten times as fast. */
  const search = fc.record({ afterMs: fc.nat(60), tookMs: fc.nat(150), isRequest: fc.boolean() });
  const searches = fc.array(search, { maxLength: 60 });
  const works = fc.array(fc.record({ stepMs: fc.nat(20), parts: fc.nat(3) }), { minLength: 1, maxLength: 3 });

  test('starts when no search is running and the last one was answered, or after its maximum wait', async () => {
    const waited = { idle: 0, patient: 0 };
    const lengths = { short: 0, long: 0 };
    await fc.assert(
      fc.asyncProperty(searches, works, async (arrivals, jobs) => {
        const foreground = new Foreground();
        const background = new Background(foreground);
        let running = 0;
        let endedAtMs = Number.NEGATIVE_INFINITY;
        let latest: { readonly receivedAtMs: number } | null = null;
        const over = new AbortController();
        const client = async (): Promise<void> => {
          for (const { afterMs, tookMs, isRequest } of arrivals) {
            await delay(afterMs);
            if (isRequest) {
              const answered = foreground.received();
              const request = { receivedAtMs: performance.now() };
              latest = request;
              void delay(tookMs / 10).then(() => {
                answered();
                if (latest === request) latest = null;
              });
              continue;
            }
            foreground.begin();
            running += 1;
            void delay(tookMs).then(() => {
              foreground.end();
              running -= 1;
              endedAtMs = performance.now();
            });
          }
          await delay(1_000);
          over.abort();
        };
        const started = (askedAtMs: number, patienceMs: number): boolean => {
          const nowMs = performance.now();
          const isAnswering = latest !== null && nowMs - Math.max(endedAtMs, latest.receivedAtMs) < REQUEST_MS;
          const isIdle = running === 0 && !isAnswering;
          // One turn of the event loop may pass beside the patience.
          expect(isIdle || nowMs - askedAtMs >= patienceMs).toBe(true);
          expect(nowMs - askedAtMs).toBeLessThanOrEqual(patienceMs + 2);
          waited[isIdle ? 'idle' : 'patient'] += 1;
          return isIdle;
        };
        let freeAtMs = 0;
        const job = async ({ stepMs, parts }: { stepMs: number; parts: number }): Promise<void> => {
          while (!over.signal.aborted) {
            const askedAtMs = performance.now();
            await background.take(async () => {
              // The patience of a step begins when the step before it has ended.
              started(Math.max(askedAtMs, freeAtMs), PATIENCE_MS.step);
              for (let part = 0; part < parts; part += 1) {
                const pausedAtMs = performance.now();
                const partMs = await background.pause();
                const isIdle = started(pausedAtMs, PATIENCE_MS.part);
                const isShort = isIdle && performance.now() - endedAtMs < 1_000;
                expect(partMs).toBe(isShort ? SHORT_TURN_MS : TURN_MS);
                if (isIdle) lengths[isShort ? 'short' : 'long'] += 1;
              }
              await delay(stepMs);
              freeAtMs = performance.now();
            });
          }
        };
        const all = Promise.all([client(), ...jobs.map(job)]);
        const ended = new AbortController();
        void all.finally(() => ended.abort()).catch(() => undefined);
        while (!ended.signal.aborted) await vi.advanceTimersByTimeAsync(50);
        await all;
      }),
      { numRuns: 25 },
    );
    expect(waited.idle).toBeGreaterThan(100);
    expect(waited.patient).toBeGreaterThan(20);
    expect(Math.min(lengths.short, lengths.long)).toBeGreaterThan(20);
  });

  test('that nobody waits for takes at most a quarter of the time while clients search', async () => {
    const foreground = new Foreground();
    const { takeAndRest } = new Background(foreground);
    const shareDuring = async (ms: number): Promise<number> => {
      let workedMs = 0;
      const endMs = performance.now() + ms;
      const work = async (): Promise<void> => {
        while (performance.now() < endMs) {
          await takeAndRest(() => delay(10));
          workedMs += 10;
        }
      };
      void work();
      await vi.advanceTimersByTimeAsync(ms + 1_000);
      return workedMs / ms;
    };
    expect(await shareDuring(4_000)).toBeGreaterThan(0.8);
    // A search that has just ended: clients count as searching for a second.
    foreground.begin();
    foreground.end();
    expect(await shareDuring(900)).toBeLessThan(0.27);
  });

  test('makes progress although clients never stop searching', async () => {
    const foreground = new Foreground();
    const { take, pause, isContended } = new Background(foreground);
    foreground.begin();
    let steps = 0;
    const work = async (): Promise<void> => {
      for (; steps < 10; steps += 1) await take(pause);
    };
    void work();
    await vi.advanceTimersByTimeAsync(10 * (PATIENCE_MS.step + PATIENCE_MS.part + 2));
    expect(steps).toBe(10);
    expect(isContended()).toBe(true);
    foreground.end();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isContended()).toBe(false);
  });
});
