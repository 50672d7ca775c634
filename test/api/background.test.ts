import { expect, test } from 'vitest';
import { EVERYONE } from '../../src/access/authenticator.js';
import { until } from '../support/until.js';
import { send, serving } from './gateway.js';

const serve = serving();

test('background work gives way to an operation from before its credentials are checked until it is answered, and not to a probe', async () => {
  const order: string[] = [];
  const { url } = await serve(
    {},
    {
      foreground: {
        received: () => {
          order.push('received');
          return () => void order.push('answered');
        },
      },
      guard: {
        authenticator: {
          authenticate: async (authorization) => {
            order.push('checked');
            return EVERYONE.authenticate(authorization);
          },
        },
      },
    },
  );
  await fetch(`${url}/livez`);
  expect(order).toEqual([]);
  await send(url, { body: JSON.stringify({ query: '{ __typename }' }) });
  await until(() => order.length >= 3, { deadlineMs: 30_000, what: 'the operation to be answered' });
  expect(order).toEqual(['received', 'checked', 'answered']);
});
