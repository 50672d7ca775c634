import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerEvents, type ChatServer, packetsOf, streamed } from '../support/chat-server.js';
import type { Gateway } from '../support/gateway.js';
import { type Event, startTutoredSchool, TUTOR, type TutoredSchool } from '../support/tutored-school.js';
import { until } from '../support/until.js';

let school: TutoredSchool;
let chat: ChatServer;
let gateway: Gateway;
beforeAll(async () => {
  school = await startTutoredSchool();
  ({ chat, gateway } = school);
});
afterAll(() => school.close());

function textOf(events: readonly Event[]): string {
  return events.map(({ text }) => text ?? '').join('');
}

function namesOf(events: readonly Event[]): readonly string[] {
  const names = events.map(({ __typename }) => __typename.replace('Tutor', ''));
  return names.filter((name, place) => name !== names[place - 1]);
}

describe('an answer', () => {
  test('is streamed as context, text, a citation with its card for each valid label, and a summary', async () => {
    chat.script(
      streamed(['You added the ', 'denominators [S', '1', '], see [S1, S2', '] and [S9]. 通', '分 first [S1].'], 3),
    );
    const events = await school.ask('amy', { text: '3/4 + 1/8' });
    expect(namesOf(events)).toEqual([
      'ContextEvent',
      'Delta',
      'Citation',
      'Delta',
      'Citation',
      'Delta',
      'Citation',
      'Delta',
      'Citation',
      'Delta',
      'Done',
    ]);
    expect(textOf(events)).toBe('You added the denominators [S1], see [S1][S2] and . 通分 first [S1].');
    expect(events.flatMap(({ source }) => source?.label ?? [])).toEqual(['S1', 'S1', 'S2', 'S1']);
    expect(events.find(({ source }) => source)?.source?.card.id).toMatch(/^amy-/);
    expect(events.at(-1)).toMatchObject({
      isWhole: true,
      cited: ['S1', 'S2'],
      droppedCitations: 1,
      wasAskedAgain: false,
    });
    const [request] = chat.requests;
    expect(request).toMatchObject({ model: 'scripted', stream: true, authorization: 'Bearer sk-secret' });
    const context = events[0]?.context as { prompt: string };
    expect(request?.messages.map(({ content }) => content).join('\n\n')).toBe(context.prompt);
    expect(request?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(request?.messages[0]?.content).not.toContain('amy');
  });

  test('is refused without asking the model if there is no evidence', async () => {
    chat.script();
    const events = await school.ask('stranger', { text: '3/4 + 1/8' });
    expect(namesOf(events)).toEqual(['ContextEvent', 'Refused']);
    expect(events[1]).toMatchObject({ refusal: 'NO_EVIDENCE' });
    expect(chat.requests).toEqual([]);
  });

  test.each(['[REFUSE] ', '**[REFUSE]** ', '【REFUSE】', '[refuse] ', '“[REFUSE]” ', 'REFUSE: '])(
    'is a refusal if the model writes %s',
    async (marker) => {
      for (const mode of ['EXPLAIN', 'HINT_1']) {
        chat.script(streamed([...marker, 'The sources do not say ', 'what a fraction is [S7].'], 5));
        const events = await school.ask('amy', { text: '3/4 + 1/8', mode });
        expect(namesOf(events)).toEqual(['ContextEvent', 'Refused']);
        const reason = 'The sources do not say what a fraction is .';
        expect(events[1]).toMatchObject({ refusal: 'INSUFFICIENT', reason });
      }
    },
  );

  test.each(['EXPLAIN', 'HINT_1'])(
    'of %s is a refusal with a reason if the model writes the marker alone',
    async (mode) => {
      chat.script(streamed(['[REFUSE]']));
      const events = await school.ask('amy', { text: '3/4 + 1/8', mode });
      expect(namesOf(events)).toEqual(['ContextEvent', 'Refused']);
      expect(events[1]).toMatchObject({ refusal: 'INSUFFICIENT', reason: 'The sources do not suffice.' });
    },
  );

  test('with the marker of a refusal after other words is a refusal if it is a hint; otherwise the marker is removed', async () => {
    const pieces = ['Sorry, ', '[REF', 'USE] no source says it.'];
    chat.script(streamed(pieces));
    const [, refused] = await school.ask('amy', { text: '3/4 + 1/8', mode: 'HINT_1' });
    expect(refused).toMatchObject({ refusal: 'INSUFFICIENT', reason: 'Sorry,  no source says it.' });
    chat.script(streamed(pieces));
    const events = await school.ask('amy', { text: '3/4 + 1/8', mode: 'EXPLAIN' });
    expect(namesOf(events)).toEqual(['ContextEvent', 'Delta', 'Done']);
    expect(textOf(events)).toBe('Sorry,  no source says it.');
  });

  test('ends with an error event if the endpoint fails, before the first token or later', async () => {
    chat.script({ kind: 'refuse', status: 401, body: 'no such key sk-secret' });
    const refused = await school.ask('amy', { text: '3/4 + 1/8' });
    expect(namesOf(refused)).toEqual(['ContextEvent', 'Failed']);
    expect(refused[1]).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('***') });
    chat.script({ kind: 'cut', packets: packetsOf(answerEvents(['Look ', 'again'], null), 20) });
    const cut = await school.ask('amy', { text: '3/4 + 1/8' });
    expect(namesOf(cut)).toEqual(['ContextEvent', 'Delta', 'Failed']);
    expect(textOf(cut)).toBe('Look again');
  });
});

test.each(['EXPLAIN', 'HINT_1'])('an answer of %s without any text is a failure', async (mode) => {
  for (const pieces of [[], [' \n'], ['[S9]'], ['<think>1/4 is 2/8']]) {
    chat.script(streamed(pieces));
    const events = await school.ask('amy', { cardId: 'amy-1', mode });
    expect(events.at(-1)).toMatchObject({ __typename: 'TutorFailed', code: 'UNAVAILABLE' });
    expect(events.at(-1)?.message).toContain('the model wrote no answer');
  }
});

describe('a hint', () => {
  const input = { cardId: 'amy-1', mode: 'HINT_2' };

  test('that reveals the answer is withheld, and the model is asked once more with the leak named', async () => {
    chat.script(
      streamed(['Make the denominators equal: ', 'the answer is $\\frac', '{7}{8}$.'], 9),
      streamed(['What is 1/4 in eighths [S1]?']),
    );
    const events = await school.ask('amy', input);
    expect(textOf(events)).toBe('What is 1/4 in eighths [S1]?');
    expect(JSON.stringify(events.slice(1))).not.toMatch(/frac|7\/8/);
    expect(events.at(-1)).toMatchObject({ __typename: 'TutorDone', wasAskedAgain: true });
    expect(chat.requests[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(chat.requests[1]?.messages[3]?.content).toContain('7/8');
  });

  test('that reveals it twice is refused', async () => {
    chat.script(streamed(['It is 7[S9]/8.']), streamed(['It is 0.875.']));
    const events = await school.ask('amy', input);
    expect(namesOf(events)).toEqual(['ContextEvent', 'Refused']);
    expect(events[1]).toMatchObject({ refusal: 'LEAK' });
    expect(JSON.stringify(events.slice(1))).not.toMatch(/7\/8|0\.875/);
  });

  test('that is refused with a reason that reveals the answer has another reason', async () => {
    chat.script(streamed(['[REFUSE] The answer is 7', '[S1]/8, but no source explains it.']));
    const events = await school.ask('amy', input);
    expect(namesOf(events)).toEqual(['ContextEvent', 'Refused']);
    const reason = 'The sources do not suffice. The model gave a reason that contains the answer.';
    expect(events[1]).toMatchObject({ refusal: 'INSUFFICIENT', reason });
    expect(chat.requests).toHaveLength(1);
  });

  test('may contain what the student knows; EXPLAIN may contain the answer', async () => {
    chat.script(streamed(['You have 3/4 and 1/8 and got 4/12. Look at the denominators.']));
    expect(namesOf(await school.ask('amy', input))).toEqual(['ContextEvent', 'Delta', 'Done']);
    chat.script(streamed(['It is 7/8 [S1].']));
    expect(textOf(await school.ask('amy', { cardId: 'amy-1', mode: 'EXPLAIN' }))).toBe('It is 7/8 [S1].');
  });
});

describe('the prompt', () => {
  test("contains the viewer's cards only", async () => {
    for (const person of ['amy', 'ben'] as const) {
      chat.script(streamed(['ok']));
      await school.ask(person, { text: '3/4 + 1/8 fractions adds denominators' });
      const other = person === 'amy' ? 'ben' : 'amy';
      expect(JSON.stringify(chat.requests)).toContain(`${person} asks`);
      expect(JSON.stringify(chat.requests)).not.toContain(other);
    }
    chat.script(streamed(['ok']));
    await expect(school.ask('ben', { cardId: 'amy-1' })).rejects.toThrow(/NOT_FOUND/);
    expect(chat.requests).toEqual([]);
  });

  test('is not written to the log', () => {
    expect(gateway.output()).not.toMatch(/asks:|denominators|sk-secret/);
  });
});

describe('a search with expandWith', () => {
  const query = `{ hybridSearch(text: "sharing a pizza", options: { expandWith: MULTI_QUERY }) {
    hits { card { id } } receipt { rewrites degraded { part reason } } } }`;
  interface Found {
    readonly hits: readonly { readonly card: { readonly id: string } }[];
    readonly receipt: { readonly rewrites: readonly string[]; readonly degraded: readonly unknown[] };
  }

  test("searches the viewer's cards only for the rewrites, which are cached for no other viewer", async () => {
    for (const [person, rewrites] of [
      ['amy', ['fractions', 'add denominators']],
      ['ben', ['fractions']],
    ] as const) {
      // The rewrites have a second, which this process may miss on a busy machine.
      const whole = async () => {
        chat.script(streamed([rewrites.join('\n')]));
        const { hybridSearch } = await gateway.as(school.tokens[person]).must<{ hybridSearch: Found }>(query);
        return hybridSearch.receipt.degraded.length === 0 && hybridSearch;
      };
      const { hits, receipt } = await until(whole, { deadlineMs: 60_000, what: 'an answer that is not degraded' });
      expect(receipt.rewrites).toEqual(rewrites);
      expect(hits.length).toBeGreaterThan(0);
      expect(hits.every(({ card }) => card.id.startsWith(person))).toBe(true);
    }
    chat.script();
    const { data } = await gateway.as(school.tokens.amy).gql<{ hybridSearch: Found }>(query);
    expect(data?.hybridSearch.receipt.rewrites).toEqual(['fractions', 'add denominators']);
    expect(chat.requests).toEqual([]);
  });

  test('is the plain search if the endpoint fails, and the receipt says so', async () => {
    chat.script({ kind: 'refuse', status: 400 });
    const { data } = await gateway.as(school.tokens.amy).gql<{ hybridSearch: Found }>(query.replace('pizza', 'cake'));
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
  expect((chat.abandoned[0] as number) - goneAt).toBeLessThan(1_000);
});

describe('before it asks the model, the stream refuses', () => {
  test.each([
    ['a query', { query: '{ facets { total } }' }, 'GRAPHQL_VALIDATION_FAILED'],
    ['a field that is not there', { query: 'subscription { nothing }' }, 'GRAPHQL_VALIDATION_FAILED', 'nothing'],
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
  ])('%s', async (_name, body, code, named = '') => {
    chat.script();
    const response = await school.post(body);
    const message = expect.stringMatching(new RegExp(`^(?!internal error).*${named}`));
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { errors: [{ message, extensions: { code } }] },
    ]);
    expect(chat.requests).toEqual([]);
  });

  test('bad input with its field, and callers without a credential', async () => {
    await expect(school.ask('amy', { text: 'a', budgetTokens: 1 })).rejects.toThrow(/"field":"input\.budgetTokens"/);
    const body = { query: TUTOR, variables: { input: { text: 'a' } } };
    const unknown = await school.post({ ...body, variables: { input: { nothing: 1 } } });
    expect(await unknown.text()).toMatch(/"code":"BAD_USER_INPUT"/);
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
