import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RateLimits } from '../../../resolvers/requests/rate-limits.js';
import { RateLimitedError } from '../../../src/domain/errors.js';

describe('the rate limit of a caller', () => {
  const amy = { tenantId: 'north', ownerId: 'amy', role: 'student' } as const;

  /** When a field was resolved, and what a caller that kept to the rate would have left. */
  test('is a number per second for each field, and twice as many after a pause, however they are batched', () => {
    const rate = { perSecond: 4, atOnce: 8 };
    const asks = fc.array(
      fc.record({ afterMs: fc.integer({ min: 0, max: 1_500 }), times: fc.integer({ min: 1, max: 5 }) }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(asks, (drawn) => {
        let nowMs = 0;
        const limits = new RateLimits(rate, () => nowMs);
        const resolved: number[] = [];
        for (const { afterMs, times } of drawn) {
          nowMs += afterMs;
          try {
            limits.count(amy, new Map([['cards', times]]));
            resolved.push(...Array.from({ length: times }, () => nowMs));
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(RateLimitedError);
            // It was right to refuse, and says how long to wait.
            const { retryAfterMs } = thrown as RateLimitedError;
            expect(retryAfterMs).toBeGreaterThan(0);
            nowMs += retryAfterMs;
            limits.count(amy, new Map([['cards', times]]));
            resolved.push(...Array.from({ length: times }, () => nowMs));
          }
        }
        // In no stretch of time more than what there was at once and what came since.
        resolved.forEach((from, first) => {
          resolved.slice(first).forEach((to, more) => {
            expect(more + 1).toBeLessThanOrEqual(rate.atOnce + ((to - from) / 1_000) * rate.perSecond + 1e-6);
          });
        });
      }),
    );
  });

  test('counts by field and caller, and counts nothing if one of several fields exceeds it', () => {
    const limits = new RateLimits({ perSecond: 1, atOnce: 2 }, () => 0);
    limits.count(amy, new Map([['cards', 2]]));
    expect(() =>
      limits.count(
        amy,
        new Map([
          ['facets', 1],
          ['cards', 1],
        ]),
      ),
    ).toThrow(RateLimitedError);
    limits.count(amy, new Map([['facets', 2]]));
    limits.count({ ...amy, ownerId: 'ben' }, new Map([['cards', 2]]));
    limits.count({ ...amy, tenantId: 'south' }, new Map([['cards', 2]]));
  });

  test('is lower for rebuilding the index, whatever the setting is', () => {
    const limits = new RateLimits({ perSecond: 1_000, atOnce: 1_000 }, () => 0);
    limits.count(amy, new Map([['rebuildIndex', 2]]));
    expect(() => limits.count(amy, new Map([['rebuildIndex', 1]]))).toThrow(RateLimitedError);
  });
});
