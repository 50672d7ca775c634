import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './gateway.js';

let gateway: TestApi;
beforeAll(async () => {
  gateway = await startApi({});
});
afterAll(() => gateway.close());

test.each([
  ['by a variable', 'subscription ($on: Boolean!) { indexStatus @include(if: $on) { cards } }'],
  ['that is never met', 'subscription { indexStatus @skip(if: true) { cards } }'],
  ['around it', 'subscription { ... @skip(if: true) { indexStatus { cards } } }'],
  ['on its fragment', 'subscription { ...f @skip(if: true) } fragment f on Subscription { indexStatus { cards } }'],
  ['in its fragment', 'subscription { ...f } fragment f on Subscription { indexStatus @skip(if: true) { cards } }'],
])('a subscription whose field has a condition %s is refused', async (_name, query) => {
  const response = await fetch(`${gateway.url}/graphql/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { on: true } }),
  });
  const { errors } = (await response.json()) as { errors: object[] };
  expect(response.status).toBe(400);
  expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
});
