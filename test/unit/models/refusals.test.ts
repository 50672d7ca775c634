import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BadInputError, UnavailableError } from '../../../src/domain/errors.js';
import { PROBE } from '../../../src/models/backend.js';
import { BatchedEmbedder } from '../../../src/models/batched-embedder.js';
import { EmbeddingCache } from '../../../src/models/embedding-cache.js';
import { EndpointBackend } from '../../../src/models/endpoint.js';
import { type EndpointSpec, identityOf } from '../../../src/models/spec.js';
import { embedText, orRefused } from '../../../src/search/embed.js';
import { folderOfFile } from '../../support/folder.js';
import { startHttpServer } from '../../support/http-server.js';
import { closing, never } from '../../support/models.js';

const { path: folder } = await folderOfFile('refusals');
const close = closing();
const spec: EndpointSpec = {
  kind: 'endpoint',
  name: 'openai:text-embedding-v3',
  dims: 2,
  asksForDims: false,
  batch: 10,
  maxTokens: 512,
  queryPrefix: 'query: ',
  passagePrefix: '',
  perspectivePrefixes: false,
};

/** An embedder behind an endpoint that answers 400 to requests with a text that `refuses` matches. */
async function embedderThatRefuses(refuses: { now: RegExp }) {
  const asked: (readonly string[])[] = [];
  const server = close(
    await startHttpServer(async (request, response) => {
      const { input }: { input: readonly string[] } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      asked.push(input);
      if (input.some((text) => refuses.now.test(text))) {
        response.writeHead(400).end('{"code":"Arrearage"}');
        return;
      }
      response.end(JSON.stringify({ data: input.map((_text, index) => ({ index, embedding: [1, 0] })) }));
    }),
  );
  const cache = close(new EmbeddingCache(join(folder, server.url.replace(/\D+/g, '-'))));
  cache.open();
  const embedder = close(
    new BatchedEmbedder({
      model: identityOf(spec),
      maxChars: 100,
      lowestCosine: null,
      prefixOf: (kind) => (kind === 'query' ? spec.queryPrefix : spec.passagePrefix),
      backend: new EndpointBackend(spec, { baseUrl: server.url, apiKey: null }),
      cache,
    }),
  );
  return { embedder, asked };
}

test('an endpoint that refuses every text is unavailable, and no text stays refused', async () => {
  const refuses = { now: /./ };
  const { embedder, asked } = await embedderThatRefuses(refuses);
  const failure = await embedder.embed(['a', 'b'], 'passage', 'question', never).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UnavailableError);
  expect(failure).toMatchObject({ part: 'embedder', message: expect.stringMatching(/answered 400: .*Arrearage/) });
  expect(asked).toEqual([['a', 'b'], [`query: ${PROBE}`]]);
  await expect(embedText(embedder, 'a', never)).rejects.toThrow(UnavailableError);
  refuses.now = /^$/;
  expect(await embedder.embed(['a', 'b'], 'passage', 'question', never)).toHaveLength(2);
  expect((await embedText(embedder, 'a', never)).question).toHaveLength(1);
});

test('a text that the endpoint refuses fails alone, and as a query it is a bad argument', async () => {
  const { embedder, asked } = await embedderThatRefuses({ now: /bad/ });
  const calls = ['a', 'bad', 'b'].map((text) => embedder.embed([text], 'passage', 'question', never));
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(asked).toEqual([['a', 'bad', 'b'], [`query: ${PROBE}`], ['a'], ['bad'], [`query: ${PROBE}`], ['b']]);
  const logged: object[] = [];
  const log = { warn: (facts: object) => logged.push(facts) };
  const search = orRefused({ log }, 'text', embedText(embedder, 'bad', never));
  // The endpoint's words are for operators.
  await expect(search).rejects.toThrow(new BadInputError('text', 'is refused by the embedding model'));
  expect(logged).toEqual([{ err: expect.objectContaining({ message: expect.stringContaining('answered 400') }) }]);
});
