import { expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.js';

const { gateway, tokenOf } = await sharedGateway();

const CREATE = `mutation ($input: CreateCardInput!, $onDuplicate: OnDuplicate) {
  createCard(input: $input, onDuplicate: $onDuplicate) { id questionText occurrences }
}`;
const CORRECT = `mutation ($id: ID!, $questionText: String!) {
  updateCard(id: $id, input: { questionText: $questionText }) { id }
}`;

const input = { subject: 'math', difficulty: 2, questionText: 'Add 1/2 and 1/3.', occurredAt: '2026-03-01T00:00:00Z' };
const another = { ...input, id: 'another', occurredAt: '2026-03-02T00:00:00Z' };

test('createCard with MERGE or REJECT, repeated after its card got another question, finds that card', async () => {
  const amy = gateway.as(await tokenOf({ sub: 'amy', tenant: 'repeats' }));
  const create = (given: object, onDuplicate: string) =>
    amy.gql<{ createCard: { id: string } }>(CREATE, { input: given, onDuplicate });
  const id = (await create(input, 'MERGE')).data?.createCard.id;
  expect(await create(another, 'MERGE')).toMatchObject({ data: { createCard: { id, occurrences: 2 } } });
  const questionText = 'Name the capital of Peru.';
  await amy.gql(CORRECT, { id, questionText });
  for (const given of [input, another]) {
    const found = { createCard: { id, questionText, occurrences: 2 } };
    expect(await create(given, 'MERGE')).toMatchObject({ data: found });
    const conflict = { code: 'CONFLICT', cardId: id };
    expect(await create(given, 'REJECT')).toMatchObject({ errors: [{ extensions: conflict }] });
  }
});

test('createCard with MERGE and an id, repeated without a time, adds one occurrence', async () => {
  const amy = gateway.as(await tokenOf({ sub: 'amy', tenant: 'untimed-repeats' }));
  const create = async (id: string | null) => {
    const { data } = await amy.gql<{ createCard: { occurrences: number } }>(CREATE, {
      input: { subject: 'math', difficulty: 2, questionText: 'Add 1/2 and 1/3.', ...(id !== null && { id }) },
      onDuplicate: 'MERGE',
    });
    return data?.createCard.occurrences;
  };
  const made = [await create('first'), await create('second'), await create('second'), await create(null)];
  expect(made).toEqual([1, 2, 2, 3]);
});
