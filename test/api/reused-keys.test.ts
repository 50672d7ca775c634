import { beforeAll, describe, expect, test } from 'vitest';
import { type Api, sharedGateway } from '../support/gateway.js';
import { answerOf } from './gateway.js';

let gateway: Api;
let authorization: string;
beforeAll(async () => {
  const shared = await sharedGateway();
  const token = await shared.tokenOf({ sub: 'kay', role: 'admin' });
  gateway = shared.gateway.as(token);
  authorization = `Bearer ${token}`;
});

const ask = async (key: string, query: string) =>
  answerOf(
    await fetch(gateway.url, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ query }),
    }),
  );

const codes = ({ errors }: Awaited<ReturnType<typeof ask>>) => errors.map(({ extensions }) => extensions?.code);
const card = (id: string, notes = 'n') =>
  `{ id: "${id}", notes: "${notes}", subject: "math", difficulty: 1, questionText: "question ${id}" }`;
const unnamed = '{ subject: "math", difficulty: 1, questionText: "a question without an id" }';

/** Which of the cards there are. */
async function present(...ids: readonly string[]): Promise<readonly string[]> {
  const query = 'query ($ids: [ID!]!) { cardsByIds(ids: $ids) { id } }';
  const { data } = await gateway.gql<{ cardsByIds: ({ id: string } | null)[] }>(query, { ids });
  return (data?.cardsByIds ?? []).flatMap((found) => (found === null ? [] : [found.id]));
}

describe('an Idempotency-Key that came with another change', () => {
  test('changes nothing with any other mutation', async () => {
    expect(codes(await ask('k1', `mutation { createCard(input: ${card('k1-a')}) { id } }`))).toEqual([]);
    const others = [
      'deleteCard(id: "k1-a")',
      'c: deleteCard(id: "k1-a")',
      'updateCard(id: "k1-a", input: { difficulty: 2 }) { id }',
      `createCard(input: ${card('k1-b')}) { id }`,
      '... on Mutation { deleteCard(id: "k1-a") }',
    ];
    for (const other of others) {
      const { errors } = await ask('k1', `mutation { ${other} }`);
      expect(errors).toMatchObject([
        { message: expect.stringContaining('a new key'), extensions: { code: 'CONFLICT' } },
      ]);
      expect(errors[0]?.extensions).not.toHaveProperty('cardId');
    }
    const { data } = await ask(
      'k1',
      `mutation { createCards(inputs: [${card('k1-c')}, ${card('k1-d')}]) { error { code } } }`,
    );
    expect(data.createCards).toEqual([{ error: { code: 'CONFLICT' } }, { error: { code: 'CONFLICT' } }]);
    expect(await present('k1-a', 'k1-b', 'k1-c', 'k1-d')).toEqual(['k1-a']);
  });

  test.each(['2', '4'])('changes nothing with a list of %s items after one of 3', async (count) => {
    const list = (length: number) => Array.from({ length }, (_, place) => card(`k2-${count}-${place}`)).join();
    const create = (length: number) => `mutation { createCards(inputs: [${list(length)}]) { error { code } } }`;
    expect((await ask(`k2-${count}`, create(3))).data.createCards).toEqual(Array(3).fill({ error: null }));
    const refused = Array(Number(count)).fill({ error: { code: 'CONFLICT' } });
    expect((await ask(`k2-${count}`, create(Number(count)))).data.createCards).toEqual(refused);
    expect(await present(`k2-${count}-3`)).toEqual([]);
  });

  test('makes the items of a list that were refused, once they are corrected', async () => {
    const create = (last: string) =>
      ask('k5', `mutation { createCards(inputs: [${unnamed}, ${last}]) { card { id } error { code } } }`);
    const [made, refused] = (await create(card('#'))).data.createCards as [object, object];
    expect(refused).toEqual({ card: null, error: { code: 'BAD_USER_INPUT' } });
    expect((await create(card('k5-b'))).data.createCards).toEqual([made, { card: { id: 'k5-b' }, error: null }]);
  });

  test('repeats the same change, whatever its alias and the fields that it asks for', async () => {
    const first = await ask('k3', `mutation { createCard(input: ${unnamed}) { id } }`);
    const again = await ask('k3', `mutation { __typename c: createCard(input: ${unnamed}) { revision id } }`);
    expect(again.data.c).toMatchObject(first.data.createCard as object);
  });

  test('makes and repeats each mutation of a request', async () => {
    const both = `mutation { a: createCard(input: ${unnamed}) { id } ...B }
      fragment B on Mutation { b: createCard(input: ${unnamed}) { id } }`;
    const { data } = await ask('k4', both);
    expect(data.a).not.toEqual(data.b);
    expect(await ask('k4', both)).toMatchObject({ data, errors: [] });
  });
});
