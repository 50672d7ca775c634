import type { FastifyRequest } from 'fastify';
import { UnauthenticatedError } from '../domain/errors.js';
import type { Authenticator } from '../domain/ports/callers.js';
import type { Caller } from '../domain/viewer.js';
import { callerOf } from './guard.js';

/** Interval at which the credential of a long response is checked again. */
export const RECHECK_MS = 5_000;

export interface Recheck {
  readonly authenticator: Authenticator;
  readonly everyMs: number;
  /**
   * Called after each check that says that the credential is not valid any more. If it could not be checked, the next
   * check will tell: an export cannot be resumed, and streams would all come back to a database that hangs.
   */
  readonly onRefused: (reason: UnauthenticatedError) => void;
}

/**
 * Checks the request's credential again at an interval, until the returned function is called: it may be revoked,
 * expire, or get other rights.
 */
export function recheckCaller(request: FastifyRequest, { authenticator, everyMs, onRefused }: Recheck): () => void {
  const caller = callerOf(request);
  const check = async (): Promise<void> => {
    const now = await authenticator.authenticate(request.headers.authorization);
    if (!isSameCaller(now, caller)) throw new UnauthenticatedError('the rights of this credential have changed');
  };
  const timer = setInterval(() => {
    check().catch((thrown: unknown) => {
      if (thrown instanceof UnauthenticatedError) onRefused(thrown);
    });
  }, everyMs);
  return () => clearInterval(timer);
}

export function isSameCaller(a: Caller, b: Caller): boolean {
  const facts = ({ tenantId, ownerId, role, scopes }: Caller): string =>
    JSON.stringify([tenantId, ownerId, role, [...scopes].sort()]);
  return facts(a) === facts(b);
}
