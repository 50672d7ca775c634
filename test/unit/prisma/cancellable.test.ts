import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { cancellable } from '../../../prisma/cancellable.js';

/** PostgreSQL's answer to a login that needs no password: authenticated, ready for a statement. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

test('a server that exits while a statement is being cancelled does not end this process', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(WELCOME);
      socket.once('data', () => socket.destroy());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const controller = new AbortController();
  const released = new Promise<unknown>((resolve) => {
    const client = { processID: 7, query: async () => undefined, release: resolve };
    const pool = { options: { host: '127.0.0.1', port, user: 'errata' }, connect: async () => client };
    const never = new Promise<never>((_, reject) => {
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason));
    });
    cancellable(pool as unknown as pg.Pool, controller.signal, () => never).catch(() => undefined);
  });
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort(new Error('the request is over'));
  // It is unknown whether the cancellation arrived, so the connection is closed.
  expect(await released).toMatchObject({ message: expect.stringContaining('terminated') });
  server.close();
});
