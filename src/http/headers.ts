import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Responses are data for programs: browsers must not render, sniff, cache or embed them; a file may set how long it is
 * cached.
 */
const HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Default content security policy: nothing may be loaded; a route that needs more sets its own. */
const DEFAULT_CSP = "default-src 'none'; frame-ancestors 'none'";

/** Sets the security headers of a response. */
export function secure(request: FastifyRequest, reply: FastifyReply): void {
  const kept = reply.getHeader('cache-control');
  reply.headers(HEADERS);
  if (kept !== undefined) reply.header('cache-control', kept);
  if (reply.hasHeader('content-security-policy') || isSandbox(request, reply)) return;
  reply.header('content-security-policy', DEFAULT_CSP);
}

/** True for Apollo Sandbox, which loads from another site; not in production. */
function isSandbox({ method, routeOptions }: FastifyRequest, reply: FastifyReply): boolean {
  const isPage = String(reply.getHeader('content-type')).startsWith('text/html');
  return method === 'GET' && routeOptions.url === '/graphql' && isPage;
}
