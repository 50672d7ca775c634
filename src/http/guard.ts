import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ErrataError, ForbiddenError } from '../domain/errors.js';
import type { Authenticator } from '../domain/ports/callers.js';
import type { Caller, Scope } from '../domain/viewer.js';
import { RefusedRequest } from './errors.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before any handler runs, but for routes that are open. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Answers whoever asks; every other route asks who comes. */
    open?: true;
  }
}

/** Who may ask, and by which name. */
export interface GuardParts {
  readonly authenticator: Authenticator;
  /** The names by which the gateway may be called; null: any. */
  readonly hosts: ReadonlySet<string> | null;
}

/** Asks every request whose route is not open by which name it calls the gateway, and who sends it. */
export function guard(app: FastifyInstance, { authenticator, hosts }: GuardParts): void {
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    const name = calledName(request);
    // A supervisor calls by whatever address it knows.
    if (request.routeOptions.config.open) return;
    if (hosts !== null && !hosts.has(name)) {
      throw new RefusedRequest(421, 'BAD_REQUEST', 'the gateway is not called by this name: see ALLOWED_HOSTS');
    }
    request.caller = await authenticator.authenticate(request.headers.authorization);
  });
}

/** Who sent the request. */
export function callerOf({ caller }: Pick<FastifyRequest, 'caller'>): Caller {
  if (caller === null) throw new Error('the route is open: nobody was asked who comes');
  return caller;
}

/** ForbiddenError where the caller's credential is not good for this. */
export function requireScope({ scopes }: Caller, scope: Scope): void {
  if (!scopes.includes(scope)) throw new ForbiddenError(`this credential does not have the scope ${scope}`);
}

/** Whether the request may see the gateway's own figures, on a route that answers everyone something. */
export async function seesFigures({ authenticator }: GuardParts, { headers }: FastifyRequest): Promise<boolean> {
  try {
    return (await authenticator.authenticate(headers.authorization)).scopes.includes('metrics');
  } catch (thrown) {
    if (thrown instanceof ErrataError) return false;
    throw thrown;
  }
}

/** A host as RFC 9110 (7.2) has it: a name, an IPv4 address or an IPv6 address in brackets, and maybe a port; no user before an @. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * The Host header without its port. RefusedRequest (400) unless there is exactly one that names a host: of two, Node reports the
 * first, and a proxy may have gone by the second.
 */
function calledName({ headers, raw }: FastifyRequest): string {
  const hosts = raw.rawHeaders.filter((name, place) => place % 2 === 0 && name.toLowerCase() === 'host');
  const origin = `http://${headers.host}/`;
  if (headers.host === undefined || hosts.length !== 1 || !HOST.test(headers.host) || !URL.canParse(origin)) {
    throw new RefusedRequest(400, 'BAD_REQUEST', 'the request must have one Host header, the name of a host');
  }
  return new URL(origin).hostname;
}
