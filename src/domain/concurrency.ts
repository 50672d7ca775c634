import { RateLimitedError } from './errors.js';
import type { Viewer } from './viewer.js';

/** How many may be open at the same time. */
export interface ConcurrencyLimits {
  readonly perViewer: number;
  /** One school's viewers must not take the places of all others. */
  readonly perTenant: number;
  readonly inAll: number;
}

/** Limits the number of requests of a route that are open at the same time. */
export class Concurrency {
  readonly #open = new Map<object, Viewer>();

  /** `what`: the plural, in error messages; `retryMs`: when a client that was refused may try again. */
  constructor(
    private readonly route: string,
    private readonly what: string,
    private readonly limits: ConcurrencyLimits,
    private readonly retryMs = 5_000,
  ) {}

  /** Returns the function that gives the place back. RateLimitedError beyond the limits, with `others` as open too. */
  take(viewer: Viewer, others: readonly Viewer[] = []): () => void {
    const open = [...this.#open.values(), ...others];
    const ofTenant = open.filter(({ tenantId }) => tenantId === viewer.tenantId);
    const own = ofTenant.filter(({ ownerId }) => ownerId === viewer.ownerId);
    const { perViewer, perTenant, inAll } = this.limits;
    if (own.length >= perViewer) this.#refuse(`${own.length} ${this.what} of this viewer`);
    if (ofTenant.length >= perTenant) this.#refuse(`${ofTenant.length} ${this.what} of this school`);
    if (open.length >= inAll) this.#refuse(`too many ${this.what}`);
    const place = {};
    this.#open.set(place, viewer);
    return () => this.#open.delete(place);
  }

  #refuse(problem: string): never {
    throw new RateLimitedError(this.route, this.retryMs, `has ${problem}`);
  }
}
