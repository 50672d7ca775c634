import type { GraphQLResolveInfo } from 'graphql';
import { expect, test } from 'vitest';
import { createContext } from '../../resolvers/context.js';
import { withinDeadline } from '../../resolvers/requests/deadline.js';
import { DEFAULT_CALLER } from '../../src/access/authenticator.js';
import { abortable } from '../../src/domain/async.js';
import { UnavailableError } from '../../src/domain/errors.js';
import { noFacts } from '../../src/http/log.js';

const NEVER = new Promise<never>(() => {});
const { signal: never } = new AbortController();
const over = new UnavailableError('gateway', 'no answer in time');

test('a request ends at its deadline, whatever its parts are waiting for', async () => {
  const controller = new AbortController();
  const context = createContext({
    requestKey: null,
    resolvers: new Map(),
    facts: noFacts(),
    startedMs: performance.now(),
    viewer: DEFAULT_CALLER,
    signal: controller.signal,
    searchSignal: controller.signal,
    store: { byIds: (_viewer, _ids, signal = never) => abortable(NEVER, signal), mergedInto: async () => new Map() },
    ledger: { states: (_viewer, _ids, signal = never) => abortable(NEVER, signal) },
  });
  const root = { prev: undefined, key: 'goldenSet', typename: 'Query' };
  const field = (path: GraphQLResolveInfo['path']): Promise<unknown> => {
    const info = { path, operation: { operation: 'query' } } as unknown as GraphQLResolveInfo;
    return Promise.resolve(withinDeadline({ context, info, root: undefined, args: {} }, () => NEVER));
  };
  const waiting = [
    field(root),
    field({ prev: root, key: 'cases', typename: 'GoldenSet' }),
    context.cards.load('card-1'),
    context.indexStates.load('card-1'),
  ];
  const outcomes = Promise.allSettled(waiting);
  controller.abort(over);
  expect(await outcomes).toEqual(waiting.map(() => ({ status: 'rejected', reason: over })));
});
