import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errata } from '../../support/errata.js';
import { makeFolder } from '../../support/files.js';

test('an export whose gateway ends during the file says so in one line, and exits with 69', async () => {
  const folder = await makeFolder();
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"id":"a"}\n', () => request.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const { code, err } = await errata([
      'export',
      join(folder.path, 'cards.jsonl'),
      '--url',
      `http://127.0.0.1:${port}`,
    ]);
    expect({ code, err }).toEqual({
      code: 69,
      err: 'errata: the gateway closed the connection before the file was complete\n',
    });
  } finally {
    server.closeAllConnections();
    server.close();
    await folder.remove();
  }
});
