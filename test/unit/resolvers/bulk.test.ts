import 'reflect-metadata';
import type { GraphQLResolveInfo } from 'graphql';
import { expect, test } from 'vitest';
import { BulkResolver } from '../../../resolvers/cards/bulk.resolver.js';
import type { Context } from '../../../resolvers/context.js';
import { errorFormatter } from '../../../resolvers/errors.js';
import { turnCounter } from '../../support/turns.js';
import { admin } from '../prisma/fixture.js';

test('many invalid cards are refused in turns: other requests are answered meanwhile', async () => {
  const none = () => Promise.reject(new Error('no card is valid'));
  const store = { update: none, delete: none };
  const resolver = new BulkResolver(store, { create: none }, errorFormatter({ error: () => undefined }));
  const context = {
    viewer: admin('t'),
    requestKey: null,
    startedMs: performance.now(),
    signal: new AbortController().signal,
  } as unknown as Context;
  const counter = turnCounter();
  counter.start();
  const invalid = { subject: '', difficulty: 9, questionText: ' ', topicTags: ['a', '', 'b'] };
  const inputs = Array.from({ length: 500 }, () => invalid);
  const info = { path: { key: 'createCards' } } as unknown as GraphQLResolveInfo;
  const results = await resolver.createCards(inputs, null, context, info);
  counter.stop();
  expect(results.map(({ error }) => error?.code)).toEqual(inputs.map(() => 'BAD_USER_INPUT'));
  expect(counter.turns).toBeGreaterThan(1);
});
