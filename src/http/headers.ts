import type { FastifyReply, FastifyRequest } from 'fastify';

/** Answers are data for the program that asked: no browser shall show, guess, keep or embed them. */
const HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Nothing may be loaded by an answer; a file that is more than data says itself what it needs. */
const NO_CONTENT_OF_ITS_OWN = "default-src 'none'; frame-ancestors 'none'";

/** Gives an answer the headers that tell browsers what not to do with it. */
export function secure(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(HEADERS);
  if (reply.hasHeader('content-security-policy') || isSandbox(request, reply)) return;
  reply.header('content-security-policy', NO_CONTENT_OF_ITS_OWN);
}

/** The page on which developers try queries, which is not there in production: it loads itself from elsewhere. */
function isSandbox({ method, routeOptions }: FastifyRequest, reply: FastifyReply): boolean {
  const isPage = String(reply.getHeader('content-type')).startsWith('text/html');
  return method === 'GET' && routeOptions.url === '/graphql' && isPage;
}
