import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { abortable, Closers, delay, eachOf, once, within } from '../../../src/domain/async.js';

afterEach(() => {
  vi.useRealTimers();
});

describe('once', () => {
  test('runs once however many call it, and all get the same result', async () => {
    let runs = 0;
    const run = once(async () => {
      runs += 1;
      return runs;
    });
    expect(await Promise.all([run(), run()])).toEqual([1, 1]);
    expect(await run()).toBe(1);
  });

  test('fails for all callers that wait, and may be retried', async () => {
    let runs = 0;
    const run = once(async () => {
      runs += 1;
      if (runs === 1) throw new Error('not yet');
      return 'done';
    });
    const both = await Promise.allSettled([run(), run()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await run()).toBe('done');
    expect(runs).toBe(2);
  });
});

describe('Closers', () => {
  test('closes in reverse order, one after the other', async () => {
    const closers = new Closers();
    const steps: string[] = [];
    for (const name of ['first', 'second']) {
      closers.add(name, async () => {
        steps.push(`${name} begins`);
        await new Promise(setImmediate);
        steps.push(`${name} ends`);
      });
    }
    await Promise.all([closers.close(), closers.close()]);
    expect(steps).toEqual(['second begins', 'second ends', 'first begins', 'first ends']);
  });

  test('closes the others if some fail, and throws all failures together', async () => {
    const closers = new Closers();
    const closed: string[] = [];
    const cause = new Error('busy');
    closers.add('a', () => Promise.reject(cause));
    closers.add('b', async () => void closed.push('b'));
    closers.add('c', () => Promise.reject(cause));
    const failure = await closers.close().catch((error: unknown) => error);
    expect(closed).toEqual(['b']);
    expect(failure).toBeInstanceOf(AggregateError);
    const { errors } = failure as AggregateError;
    expect(errors.map(({ message, cause }) => ({ message, cause }))).toEqual([
      { message: 'closing c failed', cause },
      { message: 'closing a failed', cause },
    ]);
  });

  test('closes what is added during closing', async () => {
    const closers = new Closers();
    const closed: string[] = [];
    closers.add('slow', async () => {
      closers.add('late', async () => void closed.push('late'));
    });
    await closers.close();
    expect(closed).toEqual(['late']);
  });
});

test('what fails is reported first, and failures of closing after it beside it', async () => {
  const closers = new Closers();
  const broken = new Error('it cannot be closed');
  closers.add('broken', () => Promise.reject(broken));
  const reported: unknown[] = [];
  const first = new Error('the port is taken');
  const failed = closers.closingIfFailed(
    () => Promise.reject(first),
    (error) => reported.push(error),
  );
  await expect(failed).rejects.toBe(first);
  expect(reported).toMatchObject([{ errors: [{ message: 'closing broken failed', cause: broken }] }]);
});

describe('delay', () => {
  test('resolves after the given time', async () => {
    vi.useFakeTimers();
    let over = false;
    const waiting = delay(1_000).then(() => {
      over = true;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await waiting;
  });

  test('resolves without an error once its signal aborts, before or during the wait, and leaves no timer', async () => {
    vi.useFakeTimers();
    await delay(1_000, AbortSignal.abort());
    const abort = new AbortController();
    const waiting = delay(1_000, abort.signal);
    abort.abort();
    await waiting;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('leaves no listener on its signal', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await delay(1, signal);
    expect(removed.mock.calls.map(([event, listener]) => [event, listener])).toEqual(
      added.mock.calls.map(([event, listener]) => [event, listener]),
    );
    expect(added).toHaveBeenCalledTimes(1);
  });
});

test('waits leave nothing on signals that outlive them', async () => {
  const combined = vi.spyOn(AbortSignal, 'any');
  const [{ signal }, { signal: other }] = [new AbortController(), new AbortController()];
  const listeners = () => [signal, other].flatMap((one) => getEventListeners(one, 'abort'));
  for (let wait = 0; wait < 20; wait += 1) {
    const short = new AbortController();
    const waiting = delay(60_000, signal, short.signal, other);
    expect(listeners()).toHaveLength(2);
    short.abort();
    await waiting;
    await delay(0, signal, other);
    await within({ ms: 60_000, late: () => new Error('late'), signal }, async () => undefined);
    await within({ ms: 0, late: () => new Error('late'), signal }, () => delay(60_000, short.signal));
  }
  expect(listeners()).toEqual([]);
  // What this makes of a long-lived signal is no listener, and stays.
  expect(combined).not.toHaveBeenCalled();
});

test('what runs within a time is told of the abort of its signal, once or before it begins', async () => {
  const late = () => new Error('late');
  for (const abortsFirst of [true, false]) {
    const caller = new AbortController();
    if (abortsFirst) caller.abort(new Error('gone'));
    let reason: unknown;
    const running = within({ ms: 60_000, late, signal: caller.signal }, async (signal) => {
      await delay(60_000, signal);
      reason = signal.reason;
    });
    if (!abortsFirst) caller.abort(new Error('gone'));
    await expect(running).rejects.toThrow('gone');
    expect(reason).toEqual(new Error('gone'));
  }
});

describe('abortable', () => {
  test('has the promise’s outcome without an abort', async () => {
    const { signal } = new AbortController();
    expect(await abortable(Promise.resolve(7), signal)).toBe(7);
    await expect(abortable(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
  });

  test('rejects with the reason of the abort, even if the promise never settles', async () => {
    const never = new Promise<never>(() => undefined);
    await expect(abortable(never, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
    const abort = new AbortController();
    const waiting = abortable(never, abort.signal);
    abort.abort(new Error('the client went away'));
    await expect(waiting).rejects.toThrow('the client went away');
  });

  test('leaves no unhandled rejection if the promise rejects after the abort', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    try {
      let fail: (error: Error) => void = () => undefined;
      const failing = new Promise<never>((_resolve, reject) => {
        fail = reject;
      });
      await expect(abortable(failing, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
      fail(new Error('failed later'));
      await new Promise(setImmediate);
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', listen);
    }
  });
});

describe('eachOf', () => {
  test('processes every item in order, with the given concurrency', async () => {
    const begun: number[] = [];
    let underWay = 0;
    let most = 0;
    await eachOf([0, 1, 2, 3, 4], 2, async (item) => {
      begun.push(item);
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      underWay -= 1;
    });
    expect(begun).toEqual([0, 1, 2, 3, 4]);
    expect(most).toBe(2);
  });

  test('starts nothing after a failure, and rejects with it once running work has ended', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const all = eachOf([0, 1, 2, 3, 4], 2, async (item) => {
      begun.push(item);
      if (item === 0) throw new Error('the first fails');
      await new Promise(setImmediate);
      ended.push(item);
    });
    await expect(all).rejects.toThrow('the first fails');
    expect(begun).toEqual([0, 1]);
    expect(ended).toEqual([1]);
  });
});
