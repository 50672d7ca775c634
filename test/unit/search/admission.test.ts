import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RateLimitedError } from '../../../src/domain/errors.js';
import type { SearchResult } from '../../../src/domain/search-result.js';
import { DEFAULT_VIEWER, type Viewer } from '../../../src/domain/viewer.js';
import { AdmissionControl, CONCURRENCY, MAX_WAIT_MS } from '../../../src/search/admission.js';
import { requestOf } from '../../support/generators.js';
import { runs } from '../../support/runs.js';

const request = requestOf({ subject: { kind: 'text', text: 'area' } });

/** Searches that end when they are told to, by a clock that stands still until it is moved. */
function world() {
  let nowMs = 0;
  const foreground = { running: 0 };
  let next = 0;
  const atWork: { readonly number: number; readonly end: (outcome: 'answer' | Error) => void }[] = [];
  const begun: number[] = [];
  const numbers = new WeakMap<AbortSignal, number>();
  const admission = new AdmissionControl(
    {
      search: (_viewer, _request, signal) =>
        new Promise<SearchResult>((resolve, reject) => {
          const number = numbers.get(signal) ?? Number.NaN;
          begun.push(number);
          const end = (outcome: 'answer' | Error): void => {
            atWork.splice(atWork.indexOf(one), 1);
            if (outcome === 'answer') resolve({} as SearchResult);
            else reject(outcome);
          };
          const one = { number, end };
          atWork.push(one);
        }),
    },
    {
      begin: () => {
        foreground.running += 1;
      },
      end: () => {
        foreground.running -= 1;
      },
    },
    () => nowMs,
  );
  return {
    foreground,
    admission,
    atWork,
    /** The searches that were begun, in order. */
    begun,
    pass: (ms: number) => {
      nowMs += ms;
    },
    ask: (viewer: Viewer = DEFAULT_VIEWER) => {
      const controller = new AbortController();
      const number = next++;
      numbers.set(controller.signal, number);
      const outcome = admission.search(viewer, request, controller.signal).then(
        () => 'answered',
        (thrown: unknown) => thrown,
      );
      return { number, outcome, abort: (reason: Error) => controller.abort(reason) };
    },
  };
}

/** Lets everything that is settled be heard of. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('searches', () => {
  test('that would wait too long are refused at once, with the expected duration of the queue', async () => {
    const { admission, atWork, ask, pass } = world();
    const first = ask();
    await settle();
    pass(400);
    atWork[0]?.end('answer');
    expect(await first.outcome).toBe('answered');
    // As many as work at once, and behind them as many as 800 ms are enough for, where each takes 400.
    const let_in = CONCURRENCY + Math.floor((MAX_WAIT_MS * CONCURRENCY) / 400);
    for (let number = 0; number < let_in; number += 1) {
      admission.refuseOverload(DEFAULT_VIEWER);
      ask();
    }
    await settle();
    const refused = await ask().outcome;
    expect(refused).toBeInstanceOf(RateLimitedError);
    expect((refused as RateLimitedError).retryAfterMs).toBe(
      Math.ceil(((let_in - CONCURRENCY + 1) * 400) / CONCURRENCY),
    );
    expect(() => admission.refuseOverload(DEFAULT_VIEWER)).toThrow(RateLimitedError);
    // One that is through makes room for another.
    atWork[0]?.end('answer');
    await settle();
    expect(() => admission.refuseOverload(DEFAULT_VIEWER)).not.toThrow();
  });

  test('of a school or a viewer with many make room for those of others', async () => {
    const { admission, atWork, begun, ask, pass } = world();
    const person = (tenantId: string, ownerId: string): Viewer => ({ tenantId, ownerId, role: 'student' });
    const [amy, ben, strange] = [person('north', 'amy'), person('north', 'ben'), person('south', 'amy')] as const;
    const first = ask(amy);
    await settle();
    pass(400);
    atWork[0]?.end('answer');
    await first.outcome;
    const queue = Math.floor((MAX_WAIT_MS * CONCURRENCY) / 400);
    const flood = Array.from({ length: CONCURRENCY + queue }, () => ask(amy));
    await settle();
    expect(() => admission.refuseOverload(amy)).toThrow(RateLimitedError);
    for (const viewer of [ben, strange]) expect(() => admission.refuseOverload(viewer)).not.toThrow();
    const others = [ask(strange), ask(ben), ask(strange)];
    const displaced = flood.splice(-others.length);
    for (const { outcome } of displaced) expect(await outcome).toBeInstanceOf(RateLimitedError);
    // With as many as the other school has, it takes no more.
    while (others.length < CONCURRENCY + queue) {
      const one = ask(strange);
      if ((await Promise.race([one.outcome, settle()])) instanceof RateLimitedError) break;
      others.push(one);
    }
    expect(others).toHaveLength((CONCURRENCY + queue) / 2 + 1);
    // The only searches of their viewers go first.
    for (const next of [others[0], others[1], flood[CONCURRENCY]]) {
      atWork[0]?.end('answer');
      await settle();
      expect(begun.at(-1)).toBe(next?.number);
    }
    while (atWork.length > 0) {
      atWork[0]?.end('answer');
      await settle();
    }
    expect(begun).toEqual(expect.arrayContaining(others.map(({ number }) => number)));
    for (const { outcome } of others) expect(await outcome).toBe('answered');
  });

  test('are estimated by a moving average, which one slow or failed search hardly changes', async () => {
    const { admission, atWork, ask, pass } = world();
    const search = async (ms: number, outcome: 'answer' | Error): Promise<void> => {
      const { outcome: ended } = ask();
      await settle();
      pass(ms);
      atWork[0]?.end(outcome);
      await ended;
    };
    await search(600, 'answer');
    for (let n = 0; n < 50; n += 1) await search(1, new Error('no such card'));
    await search(1_200, 'answer');
    // A mean of 660: behind as many as are at work, 800 ms are enough for seven more.
    for (let n = 0; n < CONCURRENCY + 7; n += 1) ask();
    await settle();
    expect(() => admission.refuseOverload(DEFAULT_VIEWER)).toThrow(RateLimitedError);
    atWork[0]?.end(new Error('no such card'));
    await settle();
    expect(() => admission.refuseOverload(DEFAULT_VIEWER)).not.toThrow();
  });

  test('run a few at a time, in order of arrival, and all end, even if some abort', async () => {
    // Twice as many come as end, so that many wait.
    const event = fc.constantFrom('ask', 'ask', 'ask', 'ask', 'end', 'fail', 'abort');
    const events = fc.array(event, { minLength: 20, maxLength: 60 });
    let waitedEver = 0;
    await fc.assert(
      fc.asyncProperty(events, fc.infiniteStream(fc.nat()), async (steps, picks) => {
        const { atWork, begun, ask } = world();
        const asked: ReturnType<typeof ask>[] = [];
        const aborted = new Set<number>();
        const pick = (): number => picks.next().value ?? 0;
        const over = new Error('over');
        for (const step of steps) {
          if (step === 'ask') asked.push(ask());
          else if (step === 'abort') {
            const waiting = asked.filter(({ number }) => !begun.includes(number) && !aborted.has(number));
            const one = waiting[pick() % Math.max(1, waiting.length)];
            one?.abort(over);
            if (one !== undefined) aborted.add(one.number);
          } else if (atWork.length > 0) {
            atWork[pick() % atWork.length]?.end(step === 'end' ? 'answer' : new Error('failed'));
          }
          await settle();
          const unfinished = asked.filter(({ number }) => !begun.includes(number) && !aborted.has(number)).length;
          if (unfinished > 0) waitedEver += 1;
          expect(atWork.length).toBeLessThanOrEqual(CONCURRENCY);
          // Nobody waits while there is a turn to be had.
          if (unfinished > 0) expect(atWork.length).toBe(CONCURRENCY);
        }
        while (atWork.length > 0) {
          atWork[0]?.end('answer');
          await settle();
        }
        for (const { number, outcome } of asked) if (aborted.has(number)) expect(await outcome).toBe(over);
        await Promise.all(asked.map(({ outcome }) => outcome));
        expect(begun).toEqual(asked.map(({ number }) => number).filter((number) => !aborted.has(number)));
      }),
      { numRuns: runs(100) },
    );
    expect(waitedEver).toBeGreaterThan(100);
  });

  test('count as foreground work from their arrival to their end', async () => {
    const { foreground, atWork, ask } = world();
    const asked = Array.from({ length: CONCURRENCY + 1 }, () => ask());
    expect(foreground.running).toBe(CONCURRENCY + 1);
    await settle();
    asked.at(-1)?.abort(new Error('given up'));
    atWork[0]?.end(new Error('failed'));
    await settle();
    expect(foreground.running).toBe(CONCURRENCY - 1);
    while (atWork.length > 0) atWork[0]?.end('answer');
    await Promise.all(asked.map(({ outcome }) => outcome));
    expect(foreground.running).toBe(0);
  });
});
