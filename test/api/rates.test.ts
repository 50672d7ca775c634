import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { RateLimits } from '../../resolvers/requests/rate-limits.js';
import { EVERYONE } from '../../src/access/authenticator.js';
import { RateLimitedError } from '../../src/domain/errors.js';
import { exportRoute } from '../../src/http/export.js';
import { importRoute } from '../../src/http/import.js';
import { naiveFacets } from '../support/naive-facets.js';
import { send, serving } from './gateway.js';

const serve = serving();

test('a field over its rate limit is refused before it is resolved, with the time to wait, in every form of request', async () => {
  let deleted = 0;
  const remove = async (): Promise<boolean> => {
    deleted += 1;
    return true;
  };
  const rates = new RateLimits({ perSecond: 0.5, atOnce: 5 }, () => 0);
  const gateway = await serve({ store: { delete: remove } }, { rates });
  const three =
    'mutation { a: deleteCard(id: "x") b: deleteCard(id: "y") ...C } fragment C on Mutation { c: deleteCard(id: "z") }';
  expect(await gateway.post(three)).toMatchObject({ status: 200, errors: [] });
  const reply = await send(gateway.url, { body: JSON.stringify({ query: three }) });
  const { data, errors } = (await reply.json()) as {
    data?: unknown;
    errors: { extensions: { code: string; retryAfterMs: number } }[];
  };
  expect({ status: reply.status, data, deleted }).toEqual({ status: 429, data: undefined, deleted: 3 });
  expect(errors[0]?.extensions).toEqual({ code: 'RATE_LIMITED', retryAfterMs: 2_000 });
  expect(reply.headers.get('retry-after')).toBe('2');
  expect(await gateway.post('mutation { a: deleteCard(id: "x") b: deleteCard(id: "y") }')).toMatchObject({
    status: 200,
  });
  expect(deleted).toBe(5);
});

test('under overload a request with a search is refused as a whole, and no other request is', async () => {
  const gateway = await serve(
    {
      store: {
        facets: async () => naiveFacets([]),
      },
    },
    {
      refuseOverload: () => {
        throw new RateLimitedError('search', 900);
      },
    },
  );
  const query = '{ facets { total } ...S } fragment S on Query { hybridSearch(text: "area") { hits { score } } }';
  const reply = await send(gateway.url, { body: JSON.stringify({ query }) });
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await reply.json()).toMatchObject({
    errors: [{ extensions: { code: 'RATE_LIMITED', retryAfterMs: 900 } }],
  });
  expect(await gateway.post('{ facets { total } }')).toMatchObject({ status: 200, errors: [] });
});

test('file routes have rate limits too, and refuse a request before reading it', async () => {
  let taken = 0;
  const exporter = {
    export: async () => {
      taken += 1;
      return { contentType: 'text/csv', fileName: 'cards.csv', body: Readable.from(['a']), isEmpty: false };
    },
    template: () => Readable.from(['a']),
  };
  const importer = {
    importFile: () => Promise.reject(new Error('unexpected')),
  };
  let nowMs = 0;
  const gateway = await serve(
    {},
    {
      files: [exportRoute(exporter, EVERYONE), importRoute(importer)],
      rates: new RateLimits({ perSecond: 1_000, atOnce: 1_000 }, () => nowMs),
    },
  );
  const { url } = gateway;
  const post = (path: string, body: string, type: string): Promise<Response> =>
    fetch(url + path, { method: 'POST', headers: { 'content-type': type }, body });
  const statuses: number[] = [];
  for (let n = 0; n < 21; n++) statuses.push((await post('/export', '{"format":"csv"}', 'application/json')).status);
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
  const refused = await post('/export', 'not even JSON', 'application/json');
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
    429,
    '1',
    { errors: [{ extensions: { code: 'RATE_LIMITED', retryAfterMs: 1_000 } }] },
  ]);
  expect(taken).toBe(20);
  expect((await post('/import?name=a.csv&dryRun=maybe', 'x', 'text/csv')).status).toBe(400);
  nowMs = 1_000;
  expect((await post('/export', '{"format":"csv"}', 'application/json')).status).toBe(200);
});
