import type { FastifyRequest } from 'fastify';
import { asError, RateLimitedError, UnauthenticatedError } from '../../src/domain/errors.js';
import type { Authenticator } from '../../src/domain/ports/callers.js';
import type { Caller } from '../../src/domain/viewer.js';
import { callerOf } from '../../src/http/guard.js';

export interface StreamLimits {
  /** Operations and reserved streams of one viewer. */
  readonly perViewer: number;
  readonly inAll: number;
  /** Interval at which the credential of an open stream is checked again. */
  readonly recheckMs: number;
  /** A reserved stream that is not opened by then is dropped. */
  readonly reservedMs: number;
}

/** An open operation reads a few rows a second at most. */
export const STREAM_LIMITS: StreamLimits = { perViewer: 20, inAll: 200, recheckMs: 5_000, reservedMs: 10_000 };

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
  readonly #open = new Map<Open, string>();

  constructor(
    private readonly authenticator: Authenticator,
    readonly limits: StreamLimits,
  ) {}

  /** Returns the function that removes it. RateLimitedError beyond the limits. */
  add(one: Open, request: FastifyRequest): () => void {
    const caller = callerOf(request);
    const viewer = JSON.stringify([caller.tenantId, caller.ownerId]);
    const own = [...this.#open.values()].filter((other) => other === viewer).length;
    const { perViewer, inAll, recheckMs } = this.limits;
    if (own >= perViewer) throw new RateLimitedError('/graphql/stream', RETRY_MS, `has ${own} streams of this viewer`);
    if (this.#open.size >= inAll) throw new RateLimitedError('/graphql/stream', RETRY_MS, 'has too many streams');
    this.#open.set(one, viewer);
    const recheck = setInterval(() => {
      this.#recheck(request.headers.authorization, caller).catch((thrown: unknown) => one.end(asError(thrown)));
    }, recheckMs);
    return () => {
      clearInterval(recheck);
      this.#open.delete(one);
    };
  }

  endAll(reason: Error): void {
    for (const one of [...this.#open.keys()]) one.end(reason);
  }

  async #recheck(authorization: string | undefined, caller: Caller): Promise<void> {
    const now = await this.authenticator.authenticate(authorization);
    if (!isSameCaller(now, caller)) throw new UnauthenticatedError('the rights of this credential have changed');
  }
}

export function isSameCaller(a: Caller, b: Caller): boolean {
  const facts = ({ tenantId, ownerId, role, scopes }: Caller): string =>
    JSON.stringify([tenantId, ownerId, role, [...scopes].sort()]);
  return facts(a) === facts(b);
}
