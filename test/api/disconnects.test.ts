import { createHash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyPluginAsync } from 'fastify';
import { expect, test } from 'vitest';
import { EVERYONE } from '../../src/access/authenticator.js';
import { abortable } from '../../src/domain/async.js';
import { ClientGoneError } from '../../src/domain/errors.js';
import type { FileToImport } from '../../src/domain/import.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { attachmentRoutes } from '../../src/http/attachments.js';
import { contextRoute } from '../../src/http/context.js';
import { exportRoute } from '../../src/http/export.js';
import { importRoute } from '../../src/http/import.js';
import { mcpRoute } from '../../src/mcp/route.js';
import { until } from '../support/until.js';
import { startApi } from './gateway.js';

const NEVER = new Promise<never>(() => {});
const JSON_TYPE = 'application/json';

/** A gateway whose parts wait until their signals abort. `started` and `ended` have an entry for each call. */
async function waitingGateway() {
  const started: unknown[] = [];
  const ended: unknown[] = [];
  const wait = async (signal: AbortSignal): Promise<never> => {
    started.push(signal);
    return await abortable(NEVER, signal).finally(() => ended.push(signal.reason));
  };
  const importFile = async (_viewer: Viewer, _file: FileToImport, body: AsyncIterable<Buffer>): Promise<never> => {
    started.push(body);
    try {
      for await (const _ of body);
    } catch (thrown) {
      ended.push(thrown);
      throw thrown;
    }
    throw new Error('the file is complete');
  };
  const files = [
    contextRoute({ context: (_viewer, _args, signal) => wait(signal) }),
    exportRoute({ export: (_viewer, _request, signal) => wait(signal), template: () => Readable.from(['']) }, EVERYONE),
    attachmentRoutes({
      maxBytes: 1_000,
      read: (_viewer, _sha256, signal) => wait(signal as AbortSignal),
      upload: () => NEVER,
    }),
    importRoute({ importFile }),
    mcpRoute({ mcpWrites: false }),
  ];
  const gateway = await startApi(
    {
      engine: { search: (_viewer, _request, signal) => wait(signal) },
      duplicates: { create: (_viewer, _card, _mode, _key, signal) => wait(signal) },
    },
    { files },
  );
  return { gateway, started, ended };
}

const card = { subject: 'math', difficulty: 2, questionText: 'What is 2 + 2?' };
const createCards = {
  query: 'mutation ($inputs: [CreateCardInput!]!) { createCards(inputs: $inputs) { error { code } } }',
  variables: { inputs: Array.from({ length: 5 }, () => card) },
};

const toolCall = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'find_same_error', arguments: { text: 'x' } },
};

test.each([
  ['a search', 'POST', '/graphql', JSON.stringify({ query: '{ byError(text: "x") { hits { rank } } }' })],
  ['a bulk mutation', 'POST', '/graphql', JSON.stringify(createCards)],
  ['a call of a tool', 'POST', '/mcp', JSON.stringify(toolCall)],
  ['a batch of calls of a tool', 'POST', '/mcp', JSON.stringify([1, 2, 3].map((id) => ({ ...toolCall, id })))],
  ['a context', 'POST', '/context', '{"text":"x"}'],
  ['an export', 'POST', '/export', '{"format":"csv"}'],
  ['a file', 'GET', `/attachments/${createHash('sha256').update('x').digest('hex')}`, null],
  ['an upload', 'POST', '/import?name=a.jsonl', null],
] as const)(
  'a client that leaves %s is no internal error, and nothing is begun for it afterwards',
  async (_what, method, path, body) => {
    const { gateway, started, ended } = await waitingGateway();
    try {
      const isUpload = path.startsWith('/import');
      const accept = `${JSON_TYPE}, text/event-stream`;
      const headers = { accept, 'content-type': isUpload ? 'application/jsonl' : JSON_TYPE };
      const client = request(gateway.url + path, { method, headers: method === 'GET' ? {} : headers });
      client.on('error', () => undefined);
      if (isUpload) client.write('{"subject":"math"}\n');
      else client.end(body ?? undefined);
      const waited = { deadlineMs: 30_000 };
      await until(() => started.length === 1, { ...waited, what: 'the work to begin' });
      client.destroy();
      await until(() => ended.length === 1, { ...waited, what: 'the work to end' });
      expect(ended).toEqual([new ClientGoneError()]);
      // What was logged of it was logged before this is answered.
      await gateway.post('{ __typename }');
      expect(started).toHaveLength(1);
      expect(gateway.logged.filter(({ level }) => Number(level) > 30)).toEqual([]);
    } finally {
      await gateway.close();
    }
  },
);

test('a client that leaves before its upload is read, which has come in whole, is no internal error', async () => {
  const read: unknown[] = [];
  const importFile = async (_viewer: Viewer, _file: FileToImport, body: AsyncIterable<Buffer>): Promise<never> => {
    begun = true;
    await new Promise((resolve) => received?.once('close', resolve));
    try {
      for await (const _ of body);
    } catch (thrown) {
      read.push(thrown);
      throw thrown;
    }
    throw new Error('the file is complete');
  };
  let begun = false;
  let received: IncomingMessage | undefined;
  const slowly: FastifyPluginAsync = async (http) => {
    http.addHook('onRequest', async ({ raw }) => {
      received = raw;
    });
    await http.register(importRoute({ importFile }));
  };
  const gateway = await startApi({}, { files: [slowly] });
  try {
    const headers = { 'content-type': 'application/jsonl' };
    const client = request(`${gateway.url}/import?name=a.jsonl`, { method: 'POST', headers });
    client.on('error', () => undefined);
    client.end('{"subject":"math"}\n');
    await until(() => begun && received?.complete, { deadlineMs: 30_000, what: 'the upload to come in' });
    client.destroy();
    await until(() => read.length === 1, { deadlineMs: 30_000, what: 'the upload to be read' });
    expect(read).toEqual([new ClientGoneError()]);
    await gateway.post('{ __typename }');
    expect(gateway.logged.filter(({ level }) => Number(level) > 30)).toEqual([]);
  } finally {
    await gateway.close();
  }
});
