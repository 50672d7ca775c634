import type { FastifyRequest } from 'fastify';
import { Concurrency, type ConcurrencyLimits } from '../../src/domain/concurrency.js';
import type { Authenticator } from '../../src/domain/ports/callers.js';
import { callerOf } from '../../src/http/guard.js';
import { RECHECK_MS, recheckCaller } from '../../src/http/recheck.js';

/** Operations and reserved streams count. */
export interface StreamLimits extends ConcurrencyLimits {
  /** Interval at which the credential of an open stream is checked again. */
  readonly recheckMs: number;
  /** A reserved stream that is not opened by then is dropped. */
  readonly reservedMs: number;
}

/** An open operation reads a few rows a second at most. */
export const STREAM_LIMITS: StreamLimits = {
  perViewer: 20,
  perTenant: 200,
  inAll: 400,
  recheckMs: RECHECK_MS,
  reservedMs: 10_000,
};

/** Something that runs for a client until it is ended. May be ended several times. */
export interface Open {
  end(reason: Error): void;
}

/**
 * The open operations of `/graphql/stream`: limits their number, and ends those whose credential is no longer valid.
 */
export class OpenStreams {
  readonly #open = new Set<Open>();
  readonly #places: Concurrency;

  constructor(
    private readonly authenticator: Authenticator,
    readonly limits: StreamLimits,
  ) {
    this.#places = new Concurrency('/graphql/stream', 'streams', limits);
  }

  /** Returns the function that removes it. RateLimitedError beyond the limits. */
  add(one: Open, request: FastifyRequest): () => void {
    const leave = this.#places.take(callerOf(request));
    this.#open.add(one);
    const { authenticator } = this;
    const onRefused = (reason: Error): void => one.end(reason);
    const stopRechecks = recheckCaller(request, { authenticator, everyMs: this.limits.recheckMs, onRefused });
    return () => {
      stopRechecks();
      leave();
      this.#open.delete(one);
    };
  }

  endAll(reason: Error): void {
    for (const one of [...this.#open]) one.end(reason);
  }
}
