import { expect, test, vi } from 'vitest';
import { EVERYONE } from '../../src/access/authenticator.js';
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
  await vi.waitFor(() => expect(order).toEqual(['received', 'checked', 'answered']));
});
