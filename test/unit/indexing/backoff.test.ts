import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_ATTEMPTS, outagePauseMs, retryAfterMs } from '../../../src/indexing/backoff.js';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map((value) => () => value);
const whole = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

describe('the pauses of the write path', () => {
  test('leave a card that failed alone for 2^attempts seconds, up to half of that less', () => {
    fc.assert(
      fc.property(whole(1, MAX_ATTEMPTS - 1), random, (attempts, value) => {
        const retryMs = retryAfterMs(attempts, value);
        expect(retryMs).toBeGreaterThanOrEqual(500 * 2 ** attempts);
        expect(retryMs).toBeLessThanOrEqual(1_000 * 2 ** attempts);
      }),
    );
  });

  test('give a card up at its eighth failure, and not before', () => {
    expect(retryAfterMs(7, () => 0)).not.toBeNull();
    for (const attempts of [8, 9, 1_000]) expect(retryAfterMs(attempts, () => 0)).toBeNull();
  });

  test('of an outage begin at 0.2 s at most, never end in 0 and never pass 30 s, however long it lasts', () => {
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
