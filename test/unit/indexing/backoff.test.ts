import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_ATTEMPTS, outagePauseMs, retryAfterMs } from '../../../src/indexing/outage.js';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map((value) => () => value);
const whole = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

describe('retries of the write path', () => {
  test('delay a failed card by 2^attempts seconds, with up to half of it jitter', () => {
    fc.assert(
      fc.property(whole(1, MAX_ATTEMPTS - 1), random, (attempts, value) => {
        const retryMs = retryAfterMs(attempts, value);
        expect(retryMs).toBeGreaterThanOrEqual(500 * 2 ** attempts);
        expect(retryMs).toBeLessThanOrEqual(1_000 * 2 ** attempts);
      }),
    );
  });

  test('give up a card at its eighth failure', () => {
    expect(retryAfterMs(7, () => 0)).not.toBeNull();
    for (const attempts of [8, 9, 1_000]) expect(retryAfterMs(attempts, () => 0)).toBeNull();
  });

  test('delay after an outage from at most 0.2 s to 30 s, never 0', () => {
    expect(outagePauseMs(1, () => 0.999)).toBeLessThanOrEqual(200);
    fc.assert(
      fc.property(whole(1, 5_000), random, (failures, value) => {
        const pauseMs = outagePauseMs(failures, value);
        expect(pauseMs).toBeGreaterThanOrEqual(100);
        expect(pauseMs).toBeLessThanOrEqual(30_000);
        expect(outagePauseMs(failures + 1, value)).toBeGreaterThanOrEqual(pauseMs);
      }),
    );
  });
});
