import type { FastifyRequest } from 'fastify';
import { RateLimitedError } from '../../src/domain/errors.js';
import type { Authenticator } from '../../src/domain/ports/callers.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { callerOf } from '../../src/http/guard.js';
import { RECHECK_MS, recheckCaller } from '../../src/http/recheck.js';

export interface StreamLimits {
  /** Operations and reserved streams of one viewer. */
  readonly perViewer: number;
  /** One school's viewers must not take the places of all others. */
  readonly perTenant: number;
  readonly inAll: number;
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

/** When a client that was refused may try again. */
const RETRY_MS = 5_000;

/** Something that runs for a client until it is ended. May be ended several times. */
export interface Open {
  end(reason: Error): void;
}

/**
 * The open operations of `/graphql/stream`: limits their number, and ends those whose credential is no longer valid.
 */
export class OpenStreams {
  readonly #open = new Map<Open, Viewer>();

  constructor(
    private readonly authenticator: Authenticator,
    readonly limits: StreamLimits,
  ) {}

  /** Returns the function that removes it. RateLimitedError beyond the limits. */
  add(one: Open, request: FastifyRequest): () => void {
    const viewer = callerOf(request);
    const ofTenant = [...this.#open.values()].filter(({ tenantId }) => tenantId === viewer.tenantId);
    const own = ofTenant.filter(({ ownerId }) => ownerId === viewer.ownerId);
    const { perViewer, perTenant, inAll, recheckMs } = this.limits;
    const refuse = (problem: string): never => {
      throw new RateLimitedError('/graphql/stream', RETRY_MS, problem);
    };
    if (own.length >= perViewer) refuse(`has ${own.length} streams of this viewer`);
    if (ofTenant.length >= perTenant) refuse(`has ${ofTenant.length} streams of this school`);
    if (this.#open.size >= inAll) refuse('has too many streams');
    this.#open.set(one, viewer);
    const { authenticator } = this;
    const onRefused = (reason: Error): void => one.end(reason);
    const stopRechecks = recheckCaller(request, { authenticator, everyMs: recheckMs, onRefused });
    return () => {
      stopRechecks();
      this.#open.delete(one);
    };
  }

  endAll(reason: Error): void {
    for (const one of [...this.#open.keys()]) one.end(reason);
  }
}
