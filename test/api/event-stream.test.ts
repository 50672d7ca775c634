import { EventEmitter } from 'node:events';
import type { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import { EventStream } from '../../resolvers/events/event-stream.js';

test('waiting for a slow client leaves no listeners', async () => {
  const events = new EventStream();
  const raw = new EventEmitter();
  let body = new EventEmitter() as PassThrough;
  const reply = {
    raw,
    request: { raw: { socket: { timeout: 0, setTimeout: () => undefined } } },
    headers: () => reply,
    send: (sent: PassThrough) => {
      body = sent;
      return reply;
    },
  };
  events.send(reply as unknown as FastifyReply, () => undefined);
  const listeners = (): readonly number[] => ['drain', 'close', 'error'].map((name) => body.listenerCount(name));
  const before = listeners();
  for (let written = 0; written < 20; written++) {
    const waiting = [1, 2, 3].map(() => events.write('next', 'x'.repeat(100_000)));
    expect(body.writableNeedDrain).toBe(true);
    while (body.read() !== null);
    await Promise.all(waiting);
  }
  expect(listeners()).toEqual(before);
  const waiting = events.write('next', 'x'.repeat(100_000));
  raw.emit('close');
  await waiting;
});
