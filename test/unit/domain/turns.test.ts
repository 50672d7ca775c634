import { describe, expect, test } from 'vitest';
import { Turns } from '../../../src/domain/turns.js';
import { until } from '../../support/until.js';

describe('turns', () => {
  test('go to those who wait in the order in which they came, and on after a failure', async () => {
    const turns = new Turns(2);
    const order: number[] = [];
    const release: (() => void)[] = [];
    const calls = [0, 1, 2, 3].map((call) =>
      turns.run(async () => {
        order.push(call);
        await new Promise<void>((resolve) => release.push(resolve));
        if (call === 0) throw new Error('the first one failed');
      }),
    );
    const outcomes = Promise.allSettled(calls);
    await until(() => release.length === 2, { deadlineMs: 30_000, what: 'two calls to run' });
    expect(order).toEqual([0, 1]);
    for (let ended = 0; ended < 4; ended++) {
      await until(() => release.length > 0, { deadlineMs: 30_000, what: 'the next call' });
      release.shift()?.();
    }
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
    expect(order).toEqual([0, 1, 2, 3]);
  });
});
