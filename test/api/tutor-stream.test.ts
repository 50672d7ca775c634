import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerEvents, type ChatServer, packetsOf, streamed } from '../support/chat-server.js';
import type { Gateway } from '../support/gateway.js';
import { startTutoredSchool, TUTOR, type TutoredSchool } from '../support/tutored-school.js';

let school: TutoredSchool;
let chat: ChatServer;
let gateway: Gateway;
beforeAll(async () => {
  school = await startTutoredSchool();
  ({ chat, gateway } = school);
});
afterAll(() => school.close());

describe('a search with expandWith', () => {
  const query = `{ hybridSearch(text: "sharing a pizza", options: { expandWith: MULTI_QUERY }) {
    hits { card { id } } receipt { rewrites degraded { part reason } } } }`;
  interface Found {
    readonly hybridSearch: {
      readonly hits: readonly { readonly card: { readonly id: string } }[];
      readonly receipt: {
        readonly rewrites: readonly string[];
        readonly degraded: readonly { readonly part: string }[];
      };
    };
  }

  test("searches the viewer's cards only for the rewrites, which are cached for no other viewer", async () => {
    chat.script(streamed(['fractions\nadd denominators']), streamed(['fractions']));
    for (const [person, rewrites] of [
      ['amy', ['fractions', 'add denominators']],
      ['ben', ['fractions']],
    ] as const) {
      const { data } = await gateway.as(school.tokens[person]).gql<Found>(query);
      expect(data?.hybridSearch.receipt).toEqual({ rewrites, degraded: [] });
      const ids = data?.hybridSearch.hits.map(({ card }) => card.id) ?? [];
      expect(ids.length).toBeGreaterThan(0);
      expect(ids.every((id) => id.startsWith(person))).toBe(true);
    }
    const { data } = await gateway.as(school.tokens.amy).gql<Found>(query);
    expect(data?.hybridSearch.receipt.rewrites).toEqual(['fractions', 'add denominators']);
    expect(chat.requests).toHaveLength(2);
  });

  test('is the plain search if the endpoint fails, and the receipt says so', async () => {
    chat.script({ kind: 'refuse', status: 400 });
    const { data } = await gateway.as(school.tokens.amy).gql<Found>(query.replace('pizza', 'cake'));
    expect(data?.hybridSearch.receipt).toMatchObject({ rewrites: [], degraded: [{ part: 'rewrite' }] });
  });
});

test("a disconnecting client ends the endpoint's answer within a second", async () => {
  chat.script({ kind: 'hang', packets: packetsOf(answerEvents(['Look'], null), 500) });
  const controller = new AbortController();
  const accept = { accept: 'text/event-stream' };
  const response = await school.post(
    { query: TUTOR, variables: { input: { text: '3/4 + 1/8' } } },
    accept,
    controller.signal,
  );
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  let seen = '';
  for await (const part of response.body as ReadableStream<Uint8Array>) {
    seen += Buffer.from(part).toString();
    if (seen.includes('Look')) break;
  }
  const goneAt = performance.now();
  controller.abort();
  await expect.poll(() => chat.abandoned.length, { timeout: 30_000 }).toBe(1);
  expect((chat.abandoned[0] as number) - goneAt).toBeLessThan(10_000);
});

describe('before it asks the model, the stream refuses', () => {
  test.each([
    ['a query', { query: '{ facets { total } }' }, 'GRAPHQL_VALIDATION_FAILED'],
    ['a field that is not there', { query: 'subscription { nothing }' }, 'GRAPHQL_VALIDATION_FAILED'],
    ['what cannot be parsed', { query: 'subscription {' }, 'GRAPHQL_PARSE_FAILED'],
    ['no query', { variables: {} }, 'BAD_REQUEST'],
    [
      'two answers at once',
      {
        query:
          'subscription { a: tutor(input: {text: "a"}) { __typename } b: tutor(input: {text: "a"}) { __typename } }',
      },
      'TOO_COMPLEX',
    ],
    [
      'more than an operation may cost',
      {
        query: `subscription { tutor(input: {text: "a"}) { ... on TutorContextEvent { context { ${Array.from({ length: 10 }, (_, n) => `a${n}: hypotheses { cards { id topicTags questionText grade source notes subject index { state } } }`).join(' ')} } } } }`,
      },
      'TOO_COMPLEX',
    ],
  ])('%s', async (_name, body, code) => {
    chat.script();
    const response = await school.post(body);
    expect([response.status, await response.json()]).toMatchObject([400, { errors: [{ extensions: { code } }] }]);
    expect(chat.requests).toEqual([]);
  });

  test('bad input with its field, and callers without a credential', async () => {
    await expect(school.ask('amy', { text: 'a', budgetTokens: 1 })).rejects.toThrow(/budgetTokens/);
    const body = { query: TUTOR, variables: { input: { text: 'a' } } };
    expect((await school.post(body, { authorization: '' })).status).toBe(401);
    expect((await school.post(body, { accept: 'application/json' })).status).toBe(406);
    const { errors } = await gateway.as(school.tokens.amy).gql(TUTOR, { input: { text: 'a' } });
    expect(errors?.[0]?.message).toBe('a subscription is sent to /graphql/stream');
  });
});

test('a stopping gateway notifies the clients, and does not wait for the model', async () => {
  chat.script({ kind: 'hang', packets: packetsOf(answerEvents(['Look'], null), 500) });
  const response = await school.post({ query: TUTOR, variables: { input: { text: '3/4 + 1/8' } } });
  let seen = '';
  for await (const part of response.body as ReadableStream<Uint8Array>) {
    const before = seen.includes('Look');
    seen += Buffer.from(part).toString();
    if (!before && seen.includes('Look')) gateway.kill('SIGTERM');
  }
  expect(seen).toContain(
    '"__typename":"TutorFailed","code":"UNAVAILABLE","message":"gateway is unavailable: it is shutting down"',
  );
  expect(seen.trimEnd()).toMatch(/event: complete\ndata:$/);
  expect(await gateway.exited).toMatchObject({ signal: 'SIGTERM' });
});
