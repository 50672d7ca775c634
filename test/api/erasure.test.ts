import { beforeAll, expect, test } from 'vitest';
import { type Api, sharedGateway } from '../support/gateway.js';
import { createCard, indexed } from '../support/notebook.js';
import { serving } from './gateway.js';

const ERASE = 'mutation ($owner: ID!) { eraseStudent(owner: $owner) { cards attempts } }';

let as: Record<'amy' | 'ben' | 'tess' | 'ada' | 'elsewhere', Api>;
beforeAll(async () => {
  const { gateway, tokenOf } = await sharedGateway();
  const of = async (claims: Parameters<typeof tokenOf>[0]) => gateway.as(await tokenOf(claims));
  as = {
    amy: await of({ sub: 'amy' }),
    ben: await of({ sub: 'ben' }),
    tess: await of({ sub: 'tess', role: 'teacher' }),
    ada: await of({ sub: 'ada', role: 'admin' }),
    elsewhere: await of({ sub: 'ada', role: 'admin', tenant: 'south' }),
  };
});

const serve = serving();

test('an admin erases a student of the school: nobody finds a card of theirs, and their school has all others', async () => {
  const questionText = 'A train covers 240 km in 3 h. What is its speed?';
  for (const person of ['amy', 'ben'] as const) await createCard(as[person], { id: `${person}-1`, questionText });
  await as.amy.must('mutation { recordAttempts(attempts: [{ key: "k", cardId: "amy-1", correct: true }]) { key } }');
  await indexed(as.ada);
  const first = await as.ada.must<{ changes: { pageInfo: { endCursor: string } } }>(
    '{ changes { pageInfo { endCursor } } }',
  );
  for (const person of ['amy', 'ben', 'tess'] as const) {
    const { errors } = await as[person].gql(ERASE, { owner: 'amy' });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN']);
  }
  expect(await as.elsewhere.must(ERASE, { owner: 'amy' })).toEqual({ eraseStudent: { cards: 0, attempts: 0 } });

  expect(await as.ada.must(ERASE, { owner: 'amy' })).toEqual({ eraseStudent: { cards: 1, attempts: 1 } });

  await indexed(as.ada);
  const after = await as.ada.must<{ search: { hits: readonly { card: { id: string } }[] } }>(
    `query ($text: String!, $after: String!) {
      search: similarQuestions(text: $text) { hits { card { id } } }
      cards { nodes { id } } attempts(owner: "amy") { nodes { key } }
      changes(after: $after) { nodes { cardId kind } } indexStatus { cards }
    }`,
    { text: questionText, after: first.changes.pageInfo.endCursor },
  );
  expect(after).toEqual({
    search: { hits: [{ card: { id: 'ben-1' } }] },
    cards: { nodes: [{ id: 'ben-1' }] },
    attempts: { nodes: [] },
    changes: { nodes: [{ cardId: 'amy-1', kind: 'REMOVED' }] },
    indexStatus: { cards: 1 },
  });
});

test.each(['ada', '', ' '])('eraseStudent refuses %j: yourself, or nobody', async (owner) => {
  const { errors } = await as.ada.gql(ERASE, { owner });
  expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'BAD_USER_INPUT', field: 'owner' }]);
});

test('a gateway without authentication does not erase its only owner', async () => {
  const { post } = await serve({});
  const { errors } = await post(ERASE, { owner: 'default' });
  expect(errors[0]).toMatchObject({ message: 'owner: must be another one than yourself' });
});
