import type { FastifyRequest } from 'fastify';
import { asError, UnauthenticatedError } from '../domain/errors.js';
import type { Authenticator } from '../domain/ports/callers.js';
import type { Caller } from '../domain/viewer.js';
import { callerOf } from './guard.js';

/** Interval at which the credential of a long response is checked again. */
export const RECHECK_MS = 5_000;

export interface Recheck {
  readonly authenticator: Authenticator;
  readonly everyMs: number;
  /** Called after each check that fails, with its error. */
  readonly onRefused: (reason: Error) => void;
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
    check().catch((thrown: unknown) => onRefused(asError(thrown)));
  }, everyMs);
  return () => clearInterval(timer);
}

export function isSameCaller(a: Caller, b: Caller): boolean {
  const facts = ({ tenantId, ownerId, role, scopes }: Caller): string =>
    JSON.stringify([tenantId, ownerId, role, [...scopes].sort()]);
  return facts(a) === facts(b);
}
