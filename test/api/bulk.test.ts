import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type Api, sharedGateway } from '../support/gateway.js';
import { indexed } from '../support/notebook.js';
import { until } from '../support/until.js';
import { card, INDEXED, serving } from './gateway.js';

const serve = serving();

let gateway: Api;
let authorization: string;
beforeAll(async () => {
  const shared = await sharedGateway();
  const token = await shared.tokenOf({ sub: 'ada', role: 'admin' });
  gateway = shared.gateway.as(token);
  authorization = `Bearer ${token}`;
});

const FAILED = 'error { code message field cardId revision }';
const input = (id: string | null, questionText = `question of ${id}`) => ({
  id,
  subject: 'math',
  difficulty: 2,
  questionText,
});

interface Outcome {
  readonly card?: { readonly id: string; readonly revision: number; readonly owner: string } | null;
  readonly deleted?: boolean;
  readonly error: { readonly code: string; readonly field: string | null } | null;
}

async function create(inputs: readonly object[], onDuplicate = 'KEEP') {
  const query = `mutation ($inputs: [CreateCardInput!]!, $onDuplicate: OnDuplicate) {
    createCards(inputs: $inputs, onDuplicate: $onDuplicate) { card { id revision owner } ${FAILED} }
  }`;
  return gateway.gql<{ createCards: Outcome[] }>(query, { inputs, onDuplicate });
}

async function change(changes: readonly object[]) {
  const query = `mutation ($changes: [CardChangeInput!]!) {
    updateCards(changes: $changes) { card { id revision } ${FAILED} }
  }`;
  return gateway.gql<{ updateCards: Outcome[] }>(query, { changes });
}

async function remove(ids: readonly string[]) {
  const query = `mutation ($ids: [ID!]!) { deleteCards(ids: $ids) { id deleted ${FAILED} } }`;
  return gateway.gql<{ deleteCards: Outcome[] }>(query, { ids });
}

async function revisionsOf(ids: readonly string[]): Promise<readonly (number | null)[]> {
  const { data } = await gateway.gql<{ cardsByIds: ({ revision: number } | null)[] }>(
    'query ($ids: [ID!]!) { cardsByIds(ids: $ids) { revision } }',
    { ids },
  );
  return (data?.cardsByIds ?? []).map((card) => card?.revision ?? null);
}

describe('createCards', () => {
  test('creates each valid card, and returns an error for every other one', async () => {
    const { data, errors } = await create([
      input('c1'),
      { ...input('c2'), difficulty: 9 },
      input('c1'),
      { ...input('c3'), owner: 'amy' },
    ]);
    expect(errors).toBeUndefined();
    expect(data?.createCards).toMatchObject([
      { card: { id: 'c1', revision: 1, owner: 'ada' }, error: null },
      { card: null, error: { code: 'BAD_USER_INPUT', field: 'inputs[1].difficulty', cardId: null } },
      { card: null, error: { code: 'CONFLICT', field: null, cardId: 'c1' } },
      { card: { id: 'c3', owner: 'amy' }, error: null },
    ]);
    expect(await revisionsOf(['c1', 'c2', 'c3'])).toEqual([1, null, 1]);
  });

  test('stores a duplicate as an occurrence of the earlier card in the same request', async () => {
    const { data } = await create([input('d1', 'What is 2 + 2?'), input(null, 'What is 2 + 2?')], 'MERGE');
    expect(data?.createCards.map(({ card }) => card?.id)).toEqual(['d1', 'd1']);
  });

  test('has the index state of a card that an earlier mutation of the request has read as it is now', async () => {
    const merged = card({ id: 'd' });
    const states = [{ ...INDEXED, state: 'PENDING' as const }, INDEXED];
    const { post } = await serve({
      duplicates: { create: async () => merged },
      ledger: { states: async () => new Map([['d', states.shift() ?? INDEXED]]) },
    });
    const create = `createCards(inputs: [{ subject: "math", difficulty: 1, questionText: "1 + 1" }], onDuplicate: MERGE) {
      card { index { state } }
    }`;
    const { data } = await post(`mutation { first: ${create} second: ${create} }`);
    expect(data).toEqual({
      first: [{ card: { index: { state: 'PENDING' } } }],
      second: [{ card: { index: { state: 'INDEXED' } } }],
    });
  });

  test.each([0, 501])('refuses a list of %d items, and creates none of them', async (count) => {
    const { data, errors } = await create(Array.from({ length: count }, (_, place) => input(`many-${place}`)));
    expect(data).toBeNull();
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field: 'inputs' } }]);
    expect(await revisionsOf(['many-0'])).toEqual([null]);
  });

  test('repeated with its Idempotency-Key creates no card twice, even if some items had failed', async () => {
    const query = `mutation ($inputs: [CreateCardInput!]!) { createCards(inputs: $inputs) { card { id } ${FAILED} } }`;
    const send = async () => {
      const variables = { inputs: [input(null, 'once'), { ...input(null), difficulty: 0 }, input(null, 'once')] };
      const response = await fetch(gateway.url, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', 'idempotency-key': 'bulk-1' },
        body: JSON.stringify({ query, variables }),
      });
      return ((await response.json()) as { data: { createCards: Outcome[] } }).data.createCards;
    };
    const first = await send();
    expect(first.map(({ error }) => error?.code)).toEqual([undefined, 'BAD_USER_INPUT', undefined]);
    expect(first[0]?.card?.id).not.toBe(first[2]?.card?.id);
    expect(await send()).toEqual(first);
  });

  test('has a complexity in proportion to its items', async () => {
    const inputs = Array.from({ length: 480 }, (_, place) => input(`cost-${place}`));
    const everything = `mutation ($inputs: [CreateCardInput!]!) { createCards(inputs: $inputs) { card {
      id owner subject grade difficulty questionText studentSolutionText goldSolutionBrief topicTags errorTypes qualityGrade
      source notes occurredAt occurrences createdAt updatedAt revision index { state indexedRevision indexedAt perspectives }
      } } }`;
    const { errors } = await gateway.gql(everything, { inputs });
    expect(errors).toMatchObject([{ extensions: { code: 'TOO_COMPLEX' } }]);
  });
});

describe('updateCards', () => {
  test('makes each change against the revision that it expects, in order', async () => {
    await create([input('u1'), input('u2')]);
    const { data } = await change([
      { id: 'u1', input: { difficulty: 4 }, expectedRevision: 1 },
      { id: 'u1', input: { difficulty: 5 }, expectedRevision: 1 },
      { id: 'absent', input: { difficulty: 5 } },
      { id: 'u2', input: {} },
      { id: 'u2', input: { grade: 'G7' } },
    ]);
    expect(data?.updateCards).toMatchObject([
      { card: { id: 'u1', revision: 2 }, error: null },
      { card: null, error: { code: 'CONFLICT', cardId: 'u1', revision: 2 } },
      { card: null, error: { code: 'NOT_FOUND', cardId: 'absent' } },
      { card: null, error: { code: 'BAD_USER_INPUT', field: 'changes[3].input' } },
      { card: { id: 'u2', revision: 2 }, error: null },
    ]);
  });
});

describe('deleteCards', () => {
  test('deletes the existing cards, and returns which these were', async () => {
    await create([input('x1'), input('x2')]);
    const { data } = await remove(['x1', 'absent', 'not an id', 'x1', 'x2']);
    expect(data?.deleteCards).toMatchObject([
      { id: 'x1', deleted: true, error: null },
      { id: 'absent', deleted: false, error: null },
      { id: 'not an id', deleted: false, error: { code: 'BAD_USER_INPUT', field: 'ids[2]' } },
      { id: 'x1', deleted: false, error: null },
      { id: 'x2', deleted: true, error: null },
    ]);
    expect(await revisionsOf(['x1', 'x2'])).toEqual([null, null]);
  });
});

test('several bulk mutations of one request share its time, so that no outcome is lost', async () => {
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now');
  try {
    const { post } = await serve({
      store: {
        delete: async () => {
          clock.mockImplementation(() => now() + 9_000);
          return true;
        },
      },
    });
    const { data } = await post(`mutation {
      a: deleteCards(ids: ["a1"]) { deleted error { code } }
      b: deleteCards(ids: ["b1"]) { deleted error { code } }
    }`);
    expect(data).toEqual({
      a: [{ deleted: true, error: null }],
      b: [{ deleted: false, error: { code: 'DEADLINE_EXCEEDED' } }],
    });
  } finally {
    clock.mockRestore();
  }
});

describe('deleteCard', () => {
  test('does not delete a card with another revision than expected', async () => {
    await create([input('r1')]);
    await change([{ id: 'r1', input: { difficulty: 1 } }]);
    const query = 'mutation ($expected: Int) { deleteCard(id: "r1", expectedRevision: $expected) }';
    const stale = await gateway.gql(query, { expected: 1 });
    expect(stale.errors).toMatchObject([{ extensions: { code: 'CONFLICT', cardId: 'r1', revision: 2 } }]);
    expect((await gateway.gql(query, { expected: 2 })).data).toEqual({ deleteCard: true });
  });
});

describe('cardsByIds', () => {
  test('returns the cards in the order of the ids, repeated ids repeatedly, and null for missing cards', async () => {
    await create([input('i1'), input('i2')]);
    const { data } = await gateway.gql('{ cardsByIds(ids: ["i2", "absent", "i1", "i2"]) { id } }');
    expect(data).toEqual({ cardsByIds: [{ id: 'i2' }, null, { id: 'i1' }, { id: 'i2' }] });
  });

  test.each([
    ['no ids', [], 'ids'],
    ['101 ids', Array.from({ length: 101 }, (_, place) => `i${place}`), 'ids'],
    ['a malformed id', ['i1', 'not an id'], 'ids[1]'],
  ])('refuses %s', async (_name, ids, field) => {
    const { errors } = await gateway.gql('query ($ids: [ID!]!) { cardsByIds(ids: $ids) { id } }', { ids });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field } }]);
  });
});

async function send(body: object) {
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: an answer has the shape of whatever was asked.
  return { status: response.status, ...((await response.json()) as { data?: any; errors?: readonly any[] }) };
}

/** Sends it again while the gateway is too busy: searches have two seconds. */
function sendInTime(body: object) {
  const answered = async () => {
    const answer = await send(body);
    return !answer.errors?.some(({ extensions }) => extensions.code === 'DEADLINE_EXCEEDED') && answer;
  };
  return until(answered, { deadlineMs: 60_000, what: 'a search in time' });
}

describe('several fields in one operation', () => {
  const CHANGES = `mutation ($id: ID!) {
    good: updateCard(id: $id, input: { difficulty: 5 }) { id revision difficulty }
    stale: updateCard(id: $id, expectedRevision: 1, input: { difficulty: 1 }) { id }
    bad: deleteCard(id: "no id!")
  }`;

  test('with onError NULL each has its result or its error: a bad one neither hides nor loses that of another', async () => {
    await create([input('alone')]);
    const { status, data, errors } = await send({ query: CHANGES, variables: { id: 'alone' }, onError: 'NULL' });
    expect([status, data]).toEqual([
      200,
      { good: { id: 'alone', revision: 2, difficulty: 5 }, stale: null, bad: null },
    ]);
    expect(errors).toMatchObject([
      { path: ['stale'], extensions: { code: 'CONFLICT', cardId: 'alone', revision: 2 } },
      { path: ['bad'], extensions: { code: 'BAD_USER_INPUT', field: 'id' } },
    ]);
    expect(await revisionsOf(['alone'])).toEqual([2]);
  });

  test('with onError NULL a search answers beside one that fails, and as it would alone', async () => {
    await indexed(gateway);
    const query = `{ good: similarQuestions(text: "question", topK: 3) { hits { rank card { id } } }
      bad: byError(cardId: "nowhere") { hits { rank } } viewer { role } __typename }`;
    const { data, errors } = await sendInTime({ query, onError: 'NULL' });
    const alone = await sendInTime({
      query: '{ good: similarQuestions(text: "question", topK: 3) { hits { rank card { id } } } }',
    });
    expect(data).toEqual({ ...alone.data, bad: null, viewer: { role: 'ADMIN' }, __typename: 'Query' });
    expect(errors).toMatchObject([{ path: ['bad'], extensions: { code: 'NOT_FOUND' } }]);
  });

  test.each([undefined, null, 'PROPAGATE'])(
    'with onError %s the operation has no data where a field fails',
    async (onError) => {
      await create([input('shared')]);
      const { data, errors } = await send({ query: CHANGES, variables: { id: 'shared' }, onError });
      expect([data, errors?.length]).toEqual([null, 1]);
    },
  );

  test.each(['HALT', 'null', 1, {}])('refuses onError %j', async (onError) => {
    const { status, errors } = await send({ query: '{ viewer { role } }', onError });
    expect([status, errors?.[0].extensions.code]).toEqual([400, 'BAD_REQUEST']);
  });

  test.each(['NULL', 'PROPAGATE'])(
    'with onError %s wrong variables and introspection are answered in the same way',
    async (onError) => {
      const wrong = { query: CHANGES, variables: { id: {} } };
      expect(await send({ ...wrong, onError })).toEqual(await send(wrong));
      const introspection = { query: '{ __type(name: "Query") { fields { name type { kind } } } }' };
      expect(await send({ ...introspection, onError })).toEqual(await send(introspection));
    },
  );
});
