import type { FastifyInstance, FastifyRequest } from 'fastify';
import { within } from '../domain/async.js';
import { ErrataError, ForbiddenError, UnavailableError } from '../domain/errors.js';
import type { Authenticator } from '../domain/ports/callers.js';
import type { Caller, Scope } from '../domain/viewer.js';
import { RefusedRequest } from './errors.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before any handler runs, except on open routes. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** True for a route without authentication. */
    open?: true;
  }
}

export interface GuardParts {
  readonly authenticator: Authenticator;
  /** Accepted host names; null: any. */
  readonly hosts: ReadonlySet<string> | null;
}

/** Checks host name and credentials of every request, except on open routes. */
export function guard(app: FastifyInstance, { authenticator, hosts }: GuardParts): void {
  app.decorateRequest('caller', null);
  const names = new HostNames();
  app.addHook('onRequest', async (request) => {
    const name = names.of(request);
    // A supervisor may use any address.
    if (request.routeOptions.config.open) return;
    if (hosts !== null && !hosts.has(name)) {
      throw new RefusedRequest(421, 'BAD_REQUEST', 'the gateway is not called by this name: see ALLOWED_HOSTS');
    }
    request.caller = await authenticator.authenticate(request.headers.authorization);
  });
}

export function callerOf({ caller }: Pick<FastifyRequest, 'caller'>): Caller {
  if (caller === null) throw new Error('a route without authentication has no viewer');
  return caller;
}

/** ForbiddenError if the credential lacks the scope. */
export function requireScope({ scopes }: Caller, scope: Scope): void {
  if (!scopes.includes(scope)) throw new ForbiddenError(`this credential does not have the scope ${scope}`);
}

/** Probes that give up after 1 s must get the public part, which does not depend on the credential. */
const FIGURES_DEADLINE = { ms: 500, late: () => new UnavailableError('authentication', 'no answer within 500 ms') };

/** True if the request may see metrics, on a route with a public part; false if that is not known in time. */
export async function seesFigures({ authenticator }: GuardParts, { headers }: FastifyRequest): Promise<boolean> {
  try {
    const { scopes } = await within(FIGURES_DEADLINE, () => authenticator.authenticate(headers.authorization));
    return scopes.includes('metrics');
  } catch (thrown) {
    if (thrown instanceof ErrataError) return false;
    throw thrown;
  }
}

/**
 * A host by RFC 9110 (7.2): a name, an IPv4 address or an IPv6 address in brackets, with an optional port, without user
 * information.
 */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

class HostNames {
  /** The last valid one: nearly all requests have the same, and parsing it takes .2 ms of a busy processor. */
  #known = { host: '', name: '' };

  /**
   * The Host header without its port. RefusedRequest (400) unless there is exactly one valid one: of two, Node reports
   * the first, and a proxy may have used the second.
   */
  of({ headers: { host }, raw }: FastifyRequest): string {
    const hosts = raw.rawHeaders.filter((name, place) => place % 2 === 0 && name.toLowerCase() === 'host');
    if (host === this.#known.host && hosts.length === 1) return this.#known.name;
    const origin = `http://${host}/`;
    if (host === undefined || hosts.length !== 1 || !HOST.test(host) || !URL.canParse(origin)) {
      throw new RefusedRequest(400, 'BAD_REQUEST', 'the request must have one Host header, the name of a host');
    }
    this.#known = { host, name: new URL(origin).hostname };
    return this.#known.name;
  }
}
