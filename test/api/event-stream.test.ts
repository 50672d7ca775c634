import { EventEmitter } from 'node:events';
import type { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import { EventStream } from '../../resolvers/events/event-stream.js';

/** Sends the events as a response, and returns its body. */
function sent(events: EventStream, raw: EventEmitter, onClose = (): void => undefined): PassThrough {
  let body = new EventEmitter() as PassThrough;
  const reply = {
    raw,
    request: { raw: { socket: { timeout: 0, setTimeout: () => undefined } } },
    headers: () => reply,
    send: (given: PassThrough) => {
      body = given;
      return reply;
    },
  };
  events.send(reply as unknown as FastifyReply, onClose);
  return body;
}

test('a client that has gone before its response begins ends the stream', () => {
  let isClosed = false;
  const raw = Object.assign(new EventEmitter(), { destroyed: true });
  const body = sent(new EventStream(), raw, () => {
    isClosed = true;
  });
  expect([isClosed, body.destroyed]).toEqual([true, true]);
});

test('waiting for a slow client leaves no listeners', async () => {
  const events = new EventStream();
  const raw = new EventEmitter();
  const body = sent(events, raw);
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
