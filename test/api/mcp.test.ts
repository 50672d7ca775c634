import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TOOL_OPERATIONS } from '../../src/access/tool-operations.js';
import { delay } from '../../src/domain/async.js';
import { CARD_CONTENT, CONTENT_FIELDS } from '../../src/domain/card-content.js';
import { UnavailableError } from '../../src/domain/errors.js';
import { mcpRoute } from '../../src/mcp/route.js';
import { toolList } from '../../src/mcp/tools.js';
import { type Api, sharedGateway } from '../support/gateway.js';
import { createCard, indexed } from '../support/notebook.js';
import { until } from '../support/until.js';
import { startApi } from './gateway.js';

let gateway: Api;
/** Tokens of this file's schools. */
let tokenOf: Awaited<ReturnType<typeof sharedGateway>>['tokenOf'];
const clients = {} as Record<'amy' | 'ben' | 'tess', Client>;

async function connect(bearer?: string, to = gateway): Promise<Client> {
  const client = new Client({ name: 'test', version: '0' });
  const headers: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', to.url), { requestInit: { headers } }));
  return client;
}

beforeAll(async () => {
  ({ gateway, tokenOf } = await sharedGateway());
  const tokens = {
    amy: await tokenOf({ sub: 'amy' }),
    ben: await tokenOf({ sub: 'ben' }),
    tess: await tokenOf({ sub: 'tess', role: 'teacher' }),
  };
  const amy = gateway.as(tokens.amy);
  const texts = {
    studentSolutionText: '2/5',
    goldSolutionBrief: '5/6',
    topicTags: ['fractions'],
    errorTypes: ['slip'],
  };
  await createCard(amy, { id: 'a1', questionText: 'Add 1/2 and 1/3.', ...texts });
  await createCard(amy, { id: 'a2', questionText: 'Add 1/4 and 1/3.', ...texts });
  await indexed(amy);
  for (const [name, token] of Object.entries(tokens)) clients[name as keyof typeof clients] = await connect(token);
});
afterAll(async () => {
  for (const client of Object.values(clients)) await client.close();
});

/** Calls a tool, and again while the gateway is too busy. */
function callTool(client: Client, name: string, args: Record<string, unknown>) {
  const answered = async () => {
    const answer = await client.callTool({ name, arguments: args });
    const [text] = answer.content as { text: string }[];
    return !/^(RATE_LIMITED|DEADLINE_EXCEEDED): /.test(text?.text ?? '') && answer;
  };
  return until(answered, { deadlineMs: 30_000, what: `${name} to be answered` });
}

describe('the tools', () => {
  test('answer with at most 1 MB: no agent reads more', async () => {
    const token = await tokenOf({ sub: 'long' });
    await gateway.as(token).must('mutation { savePracticeSettings(input: { newPerDay: 50 }) { newPerDay } }');
    const text = 'x'.repeat(16_000);
    const texts = { studentSolutionText: text, goldSolutionBrief: text };
    for (let card = 0; card < 22; card++)
      await createCard(gateway.as(token), { questionText: `${card} ${text}`, ...texts });
    const client = await connect(token);
    const [all, some] = [await callTool(client, 'due_cards', { first: 50 }), await callTool(client, 'due_cards', {})];
    await client.close();
    expect(all).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('TOO_COMPLEX: the answer has 1') }],
    });
    expect(some.isError).toBeFalsy();
  });

  test('are read-only, and have schemas of their arguments and results', async () => {
    const { tools } = await clients.amy.listTools();
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(TOOL_OPERATIONS));
    for (const { annotations, inputSchema, outputSchema } of tools) {
      expect(annotations?.readOnlyHint).toBe(true);
      expect(inputSchema.type).toBe('object');
      expect(Object.keys(outputSchema?.properties ?? {})).toHaveLength(1);
    }
    expect(tools[0]?.inputSchema).toMatchObject({
      properties: { text: { type: 'string' }, topK: { type: 'integer', default: 5 }, filter: { type: 'object' } },
      required: [],
      additionalProperties: false,
    });
    const { filter } = (tools[0]?.inputSchema.properties ?? {}) as { filter: { properties: object } };
    expect(Object.keys(filter.properties)).toContain('grades');
    expect(Object.keys(filter.properties)).not.toContain('grade');
  });

  // The SDK's client checks each answer against the tool's output schema.
  test.each([
    ['find_similar_questions', { text: 'Add 1/2 and 1/5' }],
    ['find_same_error', { cardId: 'a1' }],
    ['find_by_concept', { text: 'fractions', filter: { difficultyMax: 5 } }],
    ['get_card', { id: 'a1' }],
    ['get_card', { id: 'absent' }],
    ['suggest_tags', { text: 'Add 1/2 and 1/5' }],
    ['tutoring_context', { cardId: 'a1', mode: 'HINT_1' }],
    ['due_cards', {}],
  ] as const)('%s returns what its schema says', async (name, args) => {
    const answer = await callTool(clients.amy, name, args);
    expect(answer.isError).toBeUndefined();
    const [content] = answer.content as { text: string }[];
    expect(JSON.parse(content?.text ?? '')).toEqual(answer.structuredContent);
  });

  test("find the caller's cards only", async () => {
    const ids = async (client: Client): Promise<string[]> => {
      const { structuredContent } = await callTool(client, 'find_similar_questions', { text: 'Add 1/2 and 1/3.' });
      const { hits } = (structuredContent as { similarQuestions: { hits: { card: { id: string } }[] } })
        .similarQuestions;
      return hits.map(({ card }) => card.id).sort();
    };
    expect(await ids(clients.amy)).toEqual(['a1', 'a2']);
    expect(await ids(clients.tess)).toEqual(['a1', 'a2']);
    expect(await ids(clients.ben)).toEqual([]);
    const card = await callTool(clients.ben, 'get_card', { id: 'a1' });
    expect(card.structuredContent).toEqual({ card: null });
  });

  test('require the same roles as the fields of the API', async () => {
    const overview = (client: Client) => callTool(client, 'class_overview', { owners: ['amy', 'ben'] });
    expect(await overview(clients.amy)).toMatchObject({ isError: true, content: [{ text: /^FORBIDDEN: / }] });
    expect((await overview(clients.tess)).structuredContent).toMatchObject({ classOverview: { students: 1 } });
  });

  test.each([
    ['an argument that is not acceptable', { text: '' }, /^BAD_USER_INPUT: /],
    ['no subject', {}, /^BAD_USER_INPUT: /],
    ['an argument that there is not', { text: 'x', limit: 3 }, /no argument "limit"/],
    ['an argument that every object has', { text: 'x', toString: 3 }, /no argument "toString"/],
    ['an argument of another type', { text: 7 }, /^BAD_USER_INPUT: /],
  ])('return a clear error for %s', async (_what, args, problem) => {
    const answer = await callTool(clients.amy, 'find_similar_questions', args);
    expect(answer).toMatchObject({ isError: true, content: [{ type: 'text', text: problem }] });
  });

  test('cannot be called unless they are listed', async () => {
    await expect(clients.amy.callTool({ name: 'deleteCard', arguments: { id: 'a1' } })).rejects.toThrow('no tool');
  });
});

describe('/mcp', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const post = (headers: Record<string, string>, body: unknown = list, to: { readonly url: string } = gateway) =>
    fetch(new URL('/mcp', to.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(body),
    });

  test('requires a credential', async () => {
    expect((await post({})).status).toBe(401);
    await expect(connect()).rejects.toThrow();
  });

  test('refuses pages of other origins', async () => {
    const authorization = `Bearer ${await tokenOf({ sub: 'amy' })}`;
    const { host } = new URL(gateway.url);
    expect((await post({ authorization, origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ authorization, origin: 'null' })).status).toBe(403);
    expect((await post({ authorization, origin: `http://${host}` })).status).toBe(200);
  });

  test('keeps no session', async () => {
    const headers = { authorization: `Bearer ${await tokenOf({ sub: 'amy' })}`, accept: 'text/event-stream' };
    const answer = await fetch(new URL('/mcp', gateway.url), { headers });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('refuses bodies that are not JSON-RPC', async () => {
    const authorization = `Bearer ${await tokenOf({ sub: 'amy' })}`;
    expect((await post({ authorization }, { hello: 1 })).status).toBe(400);
  });

  test('lists the tools once for a batch', async () => {
    const authorization = `Bearer ${await tokenOf({ sub: 'amy' })}`;
    const answers = (await (await post({ authorization }, [list, { ...list, id: 2 }])).json()) as object[];
    const [first, second] = answers.sort((a, b) => (a as typeof list).id - (b as typeof list).id);
    expect(first).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
    const message = expect.stringContaining('a batch may have tools/list once');
    expect(second).toMatchObject({ id: 2, error: { code: -32_600, message } });
  });

  test('answers every call of a batch, also one that the batch cancels', async () => {
    const authorization = `Bearer ${await tokenOf({ sub: 'amy' })}`;
    const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'due_cards' } });
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    const answer = await post({ authorization }, [call(1), call(2), cancel]);
    expect(await answer.json()).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  test('runs the calls of a batch one after the other, also after one that failed', async () => {
    let [running, most, ended] = [0, 0, 0];
    const search = async (): Promise<never> => {
      running += 1;
      most = Math.max(most, running);
      await delay(5);
      running -= 1;
      ended += 1;
      throw new UnavailableError('chroma', 'not today');
    };
    const api = await startApi({ engine: { search } }, { files: [mcpRoute({ mcpWrites: false })] });
    const params = { name: 'find_same_error', arguments: { text: 'x' } };
    const batch = Array.from({ length: 20 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }));
    try {
      const answer = await post({}, batch, api);
      const result = { isError: true, content: [{ text: expect.stringContaining('not today') }] };
      expect(await answer.json()).toMatchObject(batch.map(({ id }) => ({ id, result })));
      expect({ most, ended }).toEqual({ most: 1, ended: 20 });
    } finally {
      await api.close();
    }
  });

  test('answers a batch that takes longer than sockets may idle, and begins no call after its time', async () => {
    let begun = 0;
    const search = async (): Promise<never> => {
      begun += 1;
      await delay(begun === 1 ? 10 : 700);
      throw new UnavailableError('chroma', 'not today');
    };
    const patient = { requestTimeoutMs: 30_000, keepAliveTimeoutMs: 30_000, lingerMs: 30_000, maxSockets: 3 };
    const limits = { ...patient, connectionTimeoutMs: 600, checkMs: 50 };
    const api = await startApi({ engine: { search } }, { limits, files: [mcpRoute({ mcpWrites: false }, 500)] });
    const params = { name: 'find_same_error', arguments: { text: 'x' } };
    const batch = Array.from({ length: 5 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }));
    try {
      const results = (await (await post({}, batch, api)).json()) as { result: { content: { text: string }[] } }[];
      const texts = results.map(({ result }) => result.content[0]?.text ?? '');
      const late = 'DEADLINE_EXCEEDED: not begun, because the calls before it took 0.5 s: send it again';
      expect(texts.filter((text) => text.includes('not today'))).toHaveLength(begun);
      expect(texts.slice(begun)).toEqual(Array.from({ length: 5 - begun }, () => late));
      expect(begun).toBeLessThan(3);
    } finally {
      await api.close();
    }
  });

  test.each([[{ name: 'due_cards', arguments: null }], [{ name: 'due_cards', arguments: [] }], [{ name: 7 }], [{}]])(
    'answers a tool call with the parameters %j as invalid, in plain words',
    async (params) => {
      const authorization = `Bearer ${await tokenOf({ sub: 'amy' })}`;
      const answer = await post({ authorization }, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const message = expect.stringContaining('params must have "name", a string, and may have "arguments", an object');
      expect(await answer.json()).toMatchObject({ error: { code: -32_602, message } });
    },
  );
});

test('the tools that write accept null for the fields of a card that null clears, and for no other', () => {
  const tool = toolList(true).find(({ name }) => name === 'update_card');
  const { input } = (tool?.inputSchema.properties ?? {}) as Record<string, { properties: Record<string, object> }>;
  const properties = input?.properties ?? {};
  const takesNull = (field: string) => JSON.stringify(properties[field]).includes('"null"]');
  const isCleared = ({ presence }: { presence: string }): boolean => presence === 'optional' || presence === 'list';
  expect(Object.keys(properties).filter(takesNull).sort()).toEqual(
    CONTENT_FIELDS.filter((field) => isCleared(CARD_CONTENT[field])).toSorted(),
  );
  expect(properties.qualityGrade).toMatchObject({ enum: expect.arrayContaining(['GOOD', null]) });
});
