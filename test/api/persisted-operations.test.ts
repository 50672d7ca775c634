import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PersistedOperations } from '../../src/access/persisted-operations.js';
import { answerOf, card, send, startApi, type TestApi } from './gateway.js';

const LISTED = 'query Card($id: ID!) { card(id: $id) { id } }';
const sha256Hash = createHash('sha256').update(LISTED).digest('hex');
const variables = { id: 'card-1' };

let gateway: TestApi;
beforeAll(async () => {
  gateway = await startApi(
    { store: { byIds: async (_viewer, ids) => new Map(ids.map((id) => [id, card({ id })])) } },
    { operations: new PersistedOperations([LISTED]) },
  );
});
afterAll(() => gateway.close());

const post = async (body: unknown) => answerOf(await send(gateway.url, { body: JSON.stringify(body) }));

describe('a gateway that accepts only listed operations', () => {
  test.each([
    ['its document', { query: LISTED, variables }],
    ['its hash', { variables, extensions: { persistedQuery: { version: 1, sha256Hash } } }],
    ['both', { query: LISTED, variables, extensions: { persistedQuery: { version: 1, sha256Hash } } }],
  ])('accepts one that is sent as %s', async (_as, body) => {
    expect(await post(body)).toEqual({ status: 200, data: { card: { id: 'card-1' } }, errors: [] });
  });

  test.each([
    ['another document', { query: '{ card(id: "card-1") { id } }' }],
    ['the document with a space more', { query: `${LISTED} `, variables }],
    [
      'another document under the hash of a listed one',
      {
        query: '{ __typename }',
        extensions: { persistedQuery: { version: 1, sha256Hash } },
      },
    ],
    ['an unknown hash', { extensions: { persistedQuery: { version: 1, sha256Hash: 'ab'.repeat(32) } } }],
    ['introspection', { query: '{ __schema { types { name } } }' }],
    ['a field that lacks an argument', { query: '{ card { id } }' }],
    ['a batch', [{ query: LISTED, variables }]],
    ['nothing', {}],
    ['a text', 'x'],
    ['no extensions', { extensions: null }],
  ])('says of %s that it is not listed, and nothing of the schema', async (_what, body) => {
    const { status, data, errors } = await post(body);
    expect({ status, data, errors }).toEqual({
      status: 400,
      data: undefined,
      errors: [
        {
          message: 'the operation is not among those that are answered here',
          extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' },
        },
      ],
    });
  });
});
