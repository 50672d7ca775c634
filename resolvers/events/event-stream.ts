import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { allowIdle } from '../../src/http/transfers.js';

/** Interval of comments that keep proxies from closing a quiet connection, and that reveal a client that is gone. */
const PING_MS = 12_000;

/** A client that has taken nothing for so long is disconnected. */
const IDLE_MS = 120_000;

/** One response of server-sent events, in the protocol graphql-sse. */
export class EventStream {
  readonly #body = new PassThrough();

  constructor() {
    // Up to 20 operations of a viewer may wait for the same client, each with listeners of its own.
    this.#body.setMaxListeners(0);
    // Some browsers report a response only after its first bytes.
    this.#body.write(':\n\n');
  }

  /**
   * Resolves when the client may be sent more: a slow one slows its operations down and takes no memory. No-op after
   * the end.
   */
  async write(event: 'next' | 'complete', data: unknown): Promise<void> {
    const body = this.#body;
    if (body.destroyed || body.writableEnded) return;
    // Without a space if there is no data, as other implementations of the protocol write it.
    const text = data === null ? '' : ` ${JSON.stringify(data)}`;
    if (body.write(`event: ${event}\ndata:${text}\n\n`)) return;
    const over = new AbortController();
    const { signal } = over;
    await Promise.race([once(body, 'drain', { signal }), once(body, 'close', { signal })]).catch(() => undefined);
    over.abort();
  }

  end(): void {
    this.#body.end();
  }

  /** Discards what has not been sent: nobody reads it. */
  destroy(): void {
    this.#body.destroy();
  }

  /** Sends the events as the response, and calls `onClose` when it has ended or its client has gone. */
  send(reply: FastifyReply, onClose: () => void): FastifyReply {
    const body = this.#body;
    allowIdle(reply, IDLE_MS);
    const ping = setInterval(() => {
      if (!body.writableNeedDrain && !body.writableEnded) body.write(':\n\n');
    }, PING_MS);
    const close = (): void => {
      clearInterval(ping);
      body.destroy();
      onClose();
    };
    reply.raw.once('close', close);
    reply.headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'content-encoding': 'none',
      'x-accel-buffering': 'no',
    });
    void reply.send(body);
    // The client may have gone while its credential was checked.
    if (reply.raw.destroyed) close();
    return reply;
  }
}
