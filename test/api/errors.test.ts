import { GraphQLError } from 'graphql';
import { describe, expect, test } from 'vitest';
import {
  asError,
  DeadlineExceededError,
  ErrataError,
  ResourceExhaustedError,
  UnavailableError,
} from '../../src/domain/errors.js';
import { card, INDEXED, serving } from './gateway.js';

const serve = serving();

class UnknownCodeError extends ErrataError {
  readonly code = 'SECRET_CODE';
}

const SECRET = 'postgres://errata:hunter2@db/errata';

describe.each([true, false])('in production: %s, a client', (production) => {
  test.each([
    ['an Error', new Error(SECRET)],
    ['a text', SECRET],
    [
      'an error with a code that clients know',
      Object.assign(new Error(SECRET), { extensions: { code: 'BAD_USER_INPUT' } }),
    ],
    ['a GraphQLError of somebody else', new GraphQLError(SECRET, { extensions: { code: 'BAD_USER_INPUT' } })],
    ['an error of ours with a code that the API does not promise', new UnknownCodeError(SECRET)],
    ['several errors at once', new AggregateError([new Error(SECRET)], SECRET)],
  ])('sees nothing of %s that a part throws, but an id under which its cause is logged', async (_what, thrown) => {
    const gateway = await serve({ store: { byIds: () => Promise.reject(thrown) } }, { production });
    const answer = await gateway.post('{ card(id: "card-1") { id } }');
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    expect(answer.errors).toHaveLength(1);
    const { code, errorId } = answer.errors[0]?.extensions ?? { code: '' };
    expect(code).toBe('INTERNAL');
    expect(errorId).toMatch(/^[\da-f-]{36}$/);
    const entries = gateway.logged.filter((entry) => entry.errorId === errorId);
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries)).toContain(asError(thrown).message);
  });

  test.each([
    ['UNAVAILABLE', UnavailableError],
    ['RESOURCE_EXHAUSTED', ResourceExhaustedError],
    ['DEADLINE_EXCEEDED', DeadlineExceededError],
  ])('is told which part is unavailable: %s', async (code, Failure) => {
    const byIds = () => Promise.reject(new Failure('database', 'of its own words', { cause: new Error(SECRET) }));
    const gateway = await serve({ store: { byIds } }, { production });
    const answer = await gateway.post('{ card(id: "card-1") { id } }');
    expect(answer.errors).toMatchObject([
      { message: 'database is unavailable: of its own words', extensions: { code, part: 'database' } },
    ]);
    expect(JSON.stringify(answer)).not.toContain('hunter2');
  });

  test('does not see a value that its type cannot serialise', async () => {
    const gateway = await serve(
      {
        store: { byIds: async () => new Map([['card-1', card()]]) },
        ledger: { states: async () => new Map([['card-1', { ...INDEXED, indexedAt: new Date(Number.NaN) }]]) },
      },
      { production },
    );
    const { errors } = await gateway.post('{ card(id: "card-1") { index { indexedAt } } }');
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['INTERNAL']);
  });
});
