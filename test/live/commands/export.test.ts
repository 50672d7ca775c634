import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { errata, startErrata } from '../../support/errata.js';
import { type Folder, makeFolder } from '../../support/files.js';
import { type HttpServer, startHttpServer } from '../../support/http-server.js';

let folder: Folder;
let gateway: HttpServer | undefined;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(async () => {
  await gateway?.close();
  await folder.remove();
});

/** Exports all cards, or those of a search, from a gateway that answers as the test says. */
async function exportFrom(answer: RequestListener, ...args: readonly string[]) {
  gateway = await startHttpServer(answer);
  return errata(['export', join(folder.path, 'cards.jsonl'), '--url', gateway.url, ...args]);
}

test('an export whose gateway ends during the file says so in one line, and exits with 69', async () => {
  const { code, err } = await exportFrom((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-length': '1000', 'content-disposition': 'attachment' });
    response.write('{"id":"a"}\n', () => request.socket.destroy());
  });
  expect({ code, err }).toEqual({
    code: 69,
    err: 'errata: the gateway closed the connection before the file was complete\n',
  });
});

test('an export that is stopped says so in one line, and ends by the signal', async () => {
  gateway = await startHttpServer((request) => request.resume());
  const command = startErrata(['export', 'cards.csv', '--url', gateway.url]);
  await once(gateway.server, 'request');
  command.kill('SIGINT');
  expect(await command.ended).toEqual({ code: null, signal: 'SIGINT', out: '', err: 'errata: stopped\n' });
});

test('--diversity is passed to the search whose cards are exported, in their order', async () => {
  const bodies: unknown[] = [];
  const answer: RequestListener = async (request, response) => {
    bodies.push(await json(request));
    const hits = ['b', 'a'].map((id) => ({ card: { id } }));
    const found = { hits, pageInfo: { hasNextPage: false } };
    if (request.url === '/export') response.setHeader('content-disposition', 'attachment');
    response.end(request.url === '/export' ? '{"id":"b"}\n' : JSON.stringify({ data: { found } }));
  };
  const { code, err } = await exportFrom(answer, '--search', '通分', '--diversity', '0.5');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(bodies).toMatchObject([{ variables: { text: '通分', options: { diversity: 0.5 } } }, { cardIds: ['b', 'a'] }]);
});
