import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { groupedBy } from '../domain/grouped.js';
import type { Log } from '../domain/ports/log.js';
import { ownerKey } from '../domain/viewer.js';

interface Limits {
  /** Of the responses of all clients that are not sent yet. */
  readonly maxUnreadBytes: number;
  /** How long a response may take to be sent even if they are more. */
  readonly unreadMs: number;
  readonly checkMs: number;
}

interface Unread {
  readonly response: FastifyReply['raw'];
  readonly viewer: string;
  readonly sinceMs: number;
}

/**
 * Bounds the memory of responses that clients have asked for and do not read: 190 downloads of 5 MB took 950 MB. Above
 * the limit, the connections of the viewer with the most are closed, the largest responses first.
 */
export function limitUnread(app: FastifyInstance, limits: Limits, log: Pick<Log, 'warn'>): void {
  const open = new Set<Unread>();
  app.addHook('onSend', async ({ caller, raw: { socket } }, { raw: response }) => {
    // What /mcp asks the gateway itself has no socket.
    if (!(socket instanceof Socket)) return;
    const one = { response, viewer: caller === null ? '' : ownerKey(caller), sinceMs: performance.now() };
    open.add(one);
    response.once('close', () => open.delete(one));
  });
  const timer = setInterval(() => {
    const closed = closeExcess([...open], limits);
    if (closed > 0) log.warn({ closed }, 'closed connections of a client that asked for much and did not read it');
  }, limits.checkMs).unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

/** Returns how many were closed. */
function closeExcess(open: readonly Unread[], { maxUnreadBytes, unreadMs }: Limits): number {
  const unread = open.map((one) => ({ ...one, bytes: one.response.writableLength }));
  let excess = sumOf(unread) - maxUnreadBytes;
  if (excess <= 0) return 0;
  const late = unread.filter(({ bytes, sinceMs }) => bytes > 0 && performance.now() - sinceMs >= unreadMs);
  const viewers = [...groupedBy(late, ({ viewer }) => viewer).values()].sort((a, b) => sumOf(b) - sumOf(a));
  let closed = 0;
  for (const { response, bytes } of viewers.flatMap((own) => [...own].sort((a, b) => b.bytes - a.bytes))) {
    if (excess <= 0) break;
    response.destroy();
    excess -= bytes;
    closed += 1;
  }
  return closed;
}

function sumOf(responses: readonly { readonly bytes: number }[]): number {
  return responses.reduce((sum, { bytes }) => sum + bytes, 0);
}
