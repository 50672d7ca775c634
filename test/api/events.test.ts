import { createClient } from 'graphql-sse';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UnauthenticatedError, UnavailableError } from '../../src/domain/errors.js';
import type { ImportJob } from '../../src/domain/import.js';
import type { Caller } from '../../src/domain/viewer.js';
import { until } from '../support/until.js';
import { card, startApi, type TestApi } from './gateway.js';

const PROGRESS = 'subscription ($id: ID!) { importProgress(id: $id) { state read } }';
const IMPORT: ImportJob = {
  id: '1',
  name: 'rows',
  format: 'rows',
  options: { onDuplicate: 'KEEP', dryRun: false, mapping: { columns: {}, defaults: {}, values: {} } },
  state: 'RUNNING',
  problem: null,
  notices: [],
  total: 3,
  read: 0,
  created: 0,
  updated: 0,
  merged: 0,
  skipped: 0,
  failed: 0,
  createdAt: new Date(0),
  finishedAt: null,
};

const limits = { perViewer: 3, perTenant: 4, inAll: 5, recheckMs: 20, reservedMs: 10_000 };
let gateway: TestApi;
let job: ImportJob;
/** The states that a person's reads find, one after the other; then and without any, `job`. */
const script = new Map<string, ImportJob[]>();
/** Credentials that are refused from now on. */
let revoked: Set<string>;
beforeEach(async () => {
  job = IMPORT;
  Object.assign(limits, { perViewer: 3, reservedMs: 10_000 });
  revoked = new Set();
  const authenticate = async (credential = 'Bearer amy'): Promise<Caller> => {
    if (revoked.has(credential)) throw new UnauthenticatedError('the API key is not valid');
    const [ownerId = '', tenantId = 'default'] = credential.slice('Bearer '.length).split('@');
    return { tenantId, ownerId, role: 'student', scopes: ['read', 'write'] };
  };
  gateway = await startApi(
    { jobs: { job: async ({ ownerId }) => script.get(ownerId)?.shift() ?? job } },
    { guard: { authenticator: { authenticate } }, streamLimits: limits },
  );
});
afterEach(() => gateway.close());

/** A response that is not referenced may be closed. */
const responses: Response[] = [];

async function request(method: string, init: RequestInit & { person?: string; path?: string } = {}): Promise<Response> {
  const { person = 'amy', path = '', headers, ...rest } = init;
  const all = { authorization: `Bearer ${person}`, ...headers };
  const response = await fetch(`${gateway.url}/graphql/stream${path}`, { method, headers: all, ...rest });
  responses.push(response);
  return response;
}

const subscribed = (
  person = 'amy',
  headers: Record<string, string> = {},
  operationId?: string,
  signal?: AbortSignal,
  query = PROGRESS,
) =>
  request('POST', {
    person,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables: { id: '1' }, extensions: { operationId } }),
    ...(signal && { signal }),
  });

/** Reads a response until it ends, or until its text matches. */
async function textOf(response: Response, pattern?: RegExp): Promise<string> {
  let text = '';
  for await (const part of response.body as ReadableStream<Uint8Array>) {
    text += Buffer.from(part).toString();
    if (pattern?.test(text)) break;
  }
  return text;
}

const codeOf = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { errors: { extensions: { code: string } }[] }).errors[0]?.extensions.code;

test('each different state is sent, and the last one ends the stream, in both modes of the protocol', async () => {
  const states = [{}, {}, { read: 1 }, { state: 'DONE' as const, read: 3, finishedAt: new Date() }];
  const told = [false, true].map(async (singleConnection): Promise<unknown> => {
    const person = `single ${singleConnection}`;
    script.set(
      person,
      states.map((state) => ({ ...IMPORT, ...state })),
    );
    const headers = { authorization: `Bearer ${person}` };
    const client = createClient({ url: `${gateway.url}/graphql/stream`, headers, singleConnection, retryAttempts: 0 });
    const results: unknown[] = [];
    for await (const { data } of client.iterate({ query: PROGRESS, variables: { id: '1' } })) {
      results.push(data?.importProgress);
    }
    client.dispose();
    return results;
  });
  const expected = [
    { state: 'RUNNING', read: 0 },
    { state: 'RUNNING', read: 1 },
    { state: 'DONE', read: 3 },
  ];
  expect(await Promise.all(told)).toEqual([expected, expected]);
});

// Within a second, as tutor.test.ts measures; here the machine may be busy.
test('a client that disconnects releases its work', async () => {
  const controller = new AbortController();
  for (const _ of [1, 2, 3]) expect((await subscribed('amy', {}, undefined, controller.signal)).status).toBe(200);
  expect((await subscribed('amy')).status).toBe(429);
  controller.abort();
  const free = async (): Promise<boolean> => (await subscribed('amy')).status === 200;
  await until(free, { deadlineMs: 30_000, what: 'the places of its operations to be free' });
});

test('operations beyond the limit of the viewer, the school or the gateway are refused', async () => {
  const controller = new AbortController();
  for (const _ of [1, 2, 3]) expect((await subscribed('amy', {}, undefined, controller.signal)).status).toBe(200);
  const refused = await subscribed('amy');
  expect([refused.status, refused.headers.get('retry-after'), await codeOf(refused)]).toEqual([
    429,
    '5',
    'RATE_LIMITED',
  ]);
  expect((await subscribed('ben', {}, undefined, controller.signal)).status).toBe(200);
  expect((await subscribed('cat')).status).toBe(429);
  expect((await subscribed('amy@south', {}, undefined, controller.signal)).status).toBe(200);
  expect((await subscribed('amy@south')).status).toBe(429);
  controller.abort();
});

test('revoking a credential ends its streams with an error, and no other stream', async () => {
  const [amy, ben] = [await subscribed('amy'), await subscribed('ben')];
  revoked.add('Bearer amy');
  const text = await textOf(amy);
  expect(text).toContain('"code":"UNAUTHENTICATED"');
  expect(text.trimEnd()).toMatch(/event: complete\ndata:$/);
  job = { ...job, state: 'DONE', finishedAt: new Date() };
  expect(await textOf(ben)).toContain('"state":"DONE"');
});

describe('a reserved stream', () => {
  const token = async (person = 'amy'): Promise<Record<string, string>> => {
    const response = await request('PUT', { person });
    expect(response.status).toBe(201);
    return { 'x-graphql-event-stream-token': await response.text() };
  };

  test('has one reader, one operation for each id, and does not exist for other callers', async () => {
    const headers = await token();
    for (const answer of [
      request('GET', { person: 'ben', headers }),
      subscribed('ben', headers, 'a'),
      request('GET'),
    ]) {
      expect([(await answer).status, await codeOf(await answer)]).toEqual([404, 'NOT_FOUND']);
    }
    const events = await request('GET', { headers });
    expect([events.status, events.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect((await request('GET', { headers })).status).toBe(409);
    expect((await subscribed('amy', headers)).status).toBe(400);
    expect((await subscribed('amy', headers, 'a')).status).toBe(202);
    expect((await subscribed('amy', headers, 'a')).status).toBe(409);
    expect((await request('DELETE', { headers, path: '?operationId=a' })).status).toBe(200);
    expect(await textOf(events, /complete/)).toMatch(
      /event: next\ndata: {"id":"a","payload":{"data":.*\n\nevent: complete\ndata: {"id":"a"}/,
    );
  });

  test('ends all its operations when its client disconnects or its credential is revoked', async () => {
    for (const leave of ['go', 'revoke']) {
      const headers = await token();
      const controller = new AbortController();
      const events = await request('GET', { headers, signal: controller.signal });
      for (const id of ['a', 'b']) expect((await subscribed('amy', headers, id)).status).toBe(202);
      if (leave === 'go') controller.abort();
      else {
        revoked.add('Bearer amy');
        const text = await textOf(events);
        for (const id of ['a', 'b']) expect(text).toContain(`event: complete\ndata: {"id":"${id}"}`);
        revoked.clear();
      }
      const gone = async (): Promise<boolean> => (await request('GET', { headers })).status === 404;
      await until(gone, { deadlineMs: 30_000, what: 'the stream to be gone' });
    }
  });

  test('that is never opened expires', async () => {
    limits.reservedMs = 50;
    const headers = await token();
    const gone = async (): Promise<boolean> => (await subscribed('amy', headers)).status === 404;
    await until(gone, { deadlineMs: 30_000, what: 'the stream to be gone' });
  });

  test('that is never opened releases operations whose events nobody reads', async () => {
    job = { ...IMPORT, name: 'x'.repeat(300_000) };
    Object.assign(limits, { perViewer: 2, reservedMs: 200 });
    const query = PROGRESS.replace('read', 'name');
    // On a busy machine the reservation may expire before the operation comes.
    const begun = async () => (await subscribed('amy', await token(), 'a', undefined, query)).status === 202;
    await until(begun, { deadlineMs: 30_000, what: 'an operation of a stream that is not open' });
    let opened = 0;
    const free = async (): Promise<boolean> => {
      if ((await subscribed('amy')).status === 200) opened += 1;
      return opened === 2;
    };
    await until(free, { deadlineMs: 30_000, what: 'both places to be free' });
  });
});

describe('an event of which a part fails', () => {
  interface Body {
    readonly data?: unknown;
    readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
  }
  const first = async (onError: unknown): Promise<{ status: number; body: Body }> => {
    const changed = {
      cardId: 'a',
      kind: 'SAVED',
      card: card({ id: 'a' }),
      revision: 1,
      changedAt: new Date(0),
    } as const;
    const edges = [{ cursor: 'b', node: { ...changed, mergedInto: null } }];
    const failing = await startApi({
      feed: {
        changes: async (_viewer, { first: size }) => ({
          edges: size === 0 ? [] : edges,
          hasNextPage: false,
          endCursor: size === 0 ? 'a' : 'b',
        }),
      },
      ledger: { states: () => Promise.reject(new UnavailableError('database', 'it does not answer')) },
    });
    try {
      const response = await fetch(`${failing.url}/graphql/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'subscription { cardChanged { card { id index { state } } } }', onError }),
      });
      const text = response.ok
        ? (/data: (.+)/.exec(await textOf(response, /data: .+\n/))?.[1] ?? '')
        : await response.text();
      return { status: response.status, body: JSON.parse(text) };
    } finally {
      await failing.close();
    }
  };
  const error = { path: ['cardChanged', 'card', 'index'], extensions: { code: 'UNAVAILABLE' } };

  test.each([
    ['NULL', { id: 'a', index: null }],
    ['PROPAGATE', null],
    [undefined, null],
  ])('with onError %s has the rest of it as an answer at /graphql has', async (onError, expected) => {
    const { status, body } = await first(onError);
    expect([status, body.data]).toEqual([200, { cardChanged: { card: expected } }]);
    expect(body.errors).toMatchObject([error]);
  });

  test('is refused with any other onError', async () => {
    const { status, body } = await first('HALT');
    expect([status, body.errors?.[0]?.extensions.code]).toEqual([400, 'BAD_REQUEST']);
  });
});

test('an internal error is in the log line of its stream, with the id that the client is told', async () => {
  const failing = await startApi({ jobs: { job: () => Promise.reject(new Error('it is broken')) } });
  try {
    const response = await fetch(`${failing.url}/graphql/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: PROGRESS, variables: { id: '1' } }),
    });
    const errorId = /"errorId":"([\w-]+)"/.exec(await textOf(response))?.[1];
    expect(errorId).toBeDefined();
    const line = await until(() => failing.logged.find(({ msg }) => msg === 'request completed'), {
      deadlineMs: 30_000,
      what: 'the line of the stream',
    });
    expect(line).toMatchObject({ codes: ['INTERNAL'], errorIds: [errorId] });
  } finally {
    await failing.close();
  }
});

test('a closing gateway notifies every client, and waits for none', async () => {
  const amy = textOf(await subscribed());
  await gateway.close();
  expect(await amy).toContain('gateway is unavailable: it is shutting down');
});
