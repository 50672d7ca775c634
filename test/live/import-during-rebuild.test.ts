import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { cleanups, folders } from '../support/embedded.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { gatewayDatabase } from '../support/gateway-database.js';
import { type HttpServer, startHttpServer } from '../support/http-server.js';
import { imported, line } from '../support/imports.js';
import { idsOf, indexed, search } from '../support/notebook.js';
import { until } from '../support/until.js';

/** Cards of a rebuild that may be claimed before an import: two batches, one written and one prepared. */
const IN_WORK = 2 * 150;
const REBUILT = 3 * 150;

const atEnd = cleanups();
const folder = folders(atEnd);

/** An endpoint that embeds at most `allowed` of the texts with this word until more are allowed. */
async function startEndpoint(word: string): Promise<HttpServer & { allowed: number }> {
  const embedded = new Set<string>();
  const server = await startHttpServer(async (request, response) => {
    const { input } = (await json(request)) as { input: readonly string[] };
    const limited = input.filter((text) => text.includes(word));
    while (new Set([...embedded, ...limited]).size > it.allowed && !response.destroyed) await delay(20);
    for (const text of limited) embedded.add(text);
    const data = input.map((text, index) => ({ index, embedding: [1, text.length, text.charCodeAt(0), index] }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
  });
  const it = { ...server, allowed: 0 };
  return it;
}

test('an imported file is found while an index of many cards is rebuilt for another model, after the batches in work', async () => {
  const database = await gatewayDatabase();
  atEnd(() => database.drop());
  const dataDir = await folder();
  const start = async (env = {}): Promise<Gateway> => {
    const gateway = await startGateway({ database, dataDir, env });
    atEnd(() => gateway.close());
    return gateway;
  };
  const first = await start();
  const rows = (word: string, count: number): string =>
    Array.from({ length: count }, (_, n) => line({ id: `${word}-${n}`, questionText: `${word} ${n} + x = 7` })).join(
      '',
    );
  await imported(first, 'notebook.jsonl', rows('rebuilt', REBUILT));
  await indexed(first);
  await first.close();

  const endpoint = await startEndpoint('rebuilt');
  atEnd(() => endpoint.close());
  const model = { EMBEDDING_MODEL: 'openai:slow', EMBEDDING_DIMS: '4', EMBEDDING_BASE_URL: endpoint.url };
  const gateway = await start(model);
  await imported(gateway, 'small.jsonl', rows('imported', 30));
  endpoint.allowed = IN_WORK;

  const ids = Array.from({ length: 30 }, (_, n) => `imported-${n}`);
  const isIndexed = async (): Promise<boolean> => {
    const { cardsByIds } = await gateway.must<{ cardsByIds: { index: { state: string } }[] }>(
      'query ($ids: [ID!]!) { cardsByIds(ids: $ids) { index { state } } }',
      { ids },
    );
    return cardsByIds.every(({ index }) => index.state === 'INDEXED');
  };
  await until(isIndexed, { deadlineMs: 60_000, what: 'the imported cards to be indexed' });
  const found = await search(gateway, 'similarQuestions', { text: 'imported 29 + x = 7', topK: 1 });
  expect(idsOf(found)).toEqual(['imported-29']);
  const status = await gateway.must('{ indexStatus { next { held cards } } }');
  expect(status).toEqual({ indexStatus: { next: { held: IN_WORK + 30, cards: REBUILT + 30 } } });

  endpoint.allowed = REBUILT;
  await indexed(gateway);
});
