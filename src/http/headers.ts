import type { FastifyReply } from 'fastify';

/** Answers are data for the program that asked: no browser shall show, guess, keep or embed them. */
const HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Nothing may be loaded by an answer. The sandbox, which exists in development alone, loads itself from elsewhere. */
const NO_CONTENT_OF_ITS_OWN = "default-src 'none'; frame-ancestors 'none'";

/** Gives an answer the headers that tell browsers what not to do with it. */
export function secure(reply: FastifyReply): void {
  reply.headers(HEADERS);
  const isPage = String(reply.getHeader('content-type')).startsWith('text/html');
  if (!isPage) reply.header('content-security-policy', NO_CONTENT_OF_ITS_OWN);
}
