import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { FastifyPluginAsync } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import type { Caller } from '../../src/domain/viewer.js';
import { attachmentRoutes } from '../../src/http/attachments.js';
import { until } from '../support/until.js';
import { startApi, type TestApi } from './gateway.js';

/** More than the sockets of both sides buffer. */
const FILE = Buffer.alloc(12 * 2 ** 20, 'x');
const MAX_FILES = 4;

let gateway: TestApi | undefined;
const open: Socket[] = [];
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await gateway?.close();
});

/** Asks for the file, and reads nothing. */
async function askFor({ url }: TestApi, person: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  open.push(socket);
  await once(socket, 'connect');
  const head = `GET /attachments/${'a'.repeat(64)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`;
  socket.write(`${head}Authorization: ${person}\r\n\r\n`);
  return socket;
}

test('whoever asks for much and reads nothing is disconnected, and nobody else', async () => {
  const read = async () => ({ contentType: 'image/png' as const, content: FILE });
  const upload = () => Promise.reject(new Error('unexpected upload'));
  let begun = 0;
  let closed = 0;
  const watch: FastifyPluginAsync = async (http) => {
    http.server.on('request', (_, response) => {
      begun += 1;
      response.once('close', () => (closed += 1));
    });
  };
  const authenticate = async (ownerId = ''): Promise<Caller> => ({
    tenantId: 'north',
    ownerId,
    role: 'student',
    scopes: ['read'],
  });
  gateway = await startApi(
    {},
    {
      files: [watch, attachmentRoutes({ maxBytes: 1, read, upload })],
      guard: { authenticator: { authenticate } },
      limits: { maxUnreadBytes: (MAX_FILES + 0.5) * FILE.length, unreadMs: 0, checkMs: 20 },
    },
  );
  const ben = await askFor(gateway, 'ben');
  for (let n = 0; n < 6; n += 1) await askFor(gateway, 'amy');
  await until(() => begun === 7 && closed >= 7 - MAX_FILES, { deadlineMs: 30_000, what: 'three to be closed' });
  let bytes = 0;
  for await (const chunk of ben) bytes += (chunk as Buffer).length;
  expect(bytes).toBeGreaterThan(FILE.length);
  expect(closed).toBe(7 - MAX_FILES + 1);
});
