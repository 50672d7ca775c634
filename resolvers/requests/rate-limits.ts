import { LRUCache } from 'lru-cache';
import { RateLimitedError } from '../../src/domain/errors.js';
import type { Viewer } from '../../src/domain/viewer.js';

/** How often something may be done: on average, and at once after a pause. */
export interface Rate {
  readonly perSecond: number;
  readonly atOnce: number;
}

const OWN_RATES: ReadonlyMap<string, Rate> = new Map([
  // It keeps the indexer busy for minutes.
  ['rebuildIndex', { perSecond: 1 / 60, atOnce: 2 }],
  // Each answer costs calls of the chat model.
  ['tutor', { perSecond: 1 / 6, atOnce: 5 }],
  // A person wants a few formats of one notebook in a row.
  ['/export', { perSecond: 1, atOnce: 20 }],
  // Some photographs of each of a student's mistakes in a row.
  ['/attachments', { perSecond: 2, atOnce: 40 }],
]);

/** Callers and fields remembered at once, some 100 bytes each. An evicted caller starts with a full bucket. */
const MAX_BUCKETS = 100_000;
/** `maxSize` and not `max`, with which a cache allocates the places of all entries when it is created. */
const BUCKETS = { maxSize: MAX_BUCKETS, sizeCalculation: () => 1 };

/** Tolerance for floating-point rounding, for callers that wait exactly `retryAfterMs`. */
const ROUNDING = 1e-9;

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** Token bucket per caller and root field or file route, in this process. Counts resolved fields, not requests. */
export class RateLimits {
  readonly #buckets = new LRUCache<string, Bucket>(BUCKETS);

  /** Limits of `perSecond`, with bursts of twice as many, such as when a page opens. Null: no limits. */
  static of(perSecond: number | null): RateLimits | null {
    return perSecond === null ? null : new RateLimits({ perSecond, atOnce: Math.max(10, 2 * perSecond) });
  }

  /** `nowMs` is a clock that never goes back. */
  constructor(
    private readonly rate: Rate,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Counts an operation's fields. RateLimitedError if one of them exceeds its limit; then none of them is counted. */
  count({ tenantId, ownerId }: Viewer, rootFields: ReadonlyMap<string, number>): void {
    const wanted = [...rootFields].map(([field, times]) => {
      const rate = OWN_RATES.get(field) ?? this.rate;
      return { field, times, rate, bucket: this.#bucketOf(JSON.stringify([tenantId, ownerId, field]), rate) };
    });
    for (const { field, times, rate, bucket } of wanted) {
      const lacking = times - bucket.tokens;
      if (lacking > ROUNDING) throw new RateLimitedError(field, Math.ceil((lacking / rate.perSecond) * 1_000));
    }
    for (const { times, bucket } of wanted) bucket.tokens -= times;
  }

  #bucketOf(key: string, { perSecond, atOnce }: Rate): Bucket {
    const nowMs = this.nowMs();
    const bucket = this.#buckets.get(key) ?? { tokens: atOnce, filledAtMs: nowMs };
    bucket.tokens = Math.min(atOnce, bucket.tokens + ((nowMs - bucket.filledAtMs) / 1_000) * perSecond);
    bucket.filledAtMs = nowMs;
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
