import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { UnavailableError } from '../../../src/domain/errors.js';
import { loggedError } from '../../../src/observability/log.js';
import { admin, type Fixture, newTenant, openFixture } from './fixture.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

const SECRET = 'zsecretz';

async function thrownBy(work: () => Promise<unknown>): Promise<Error> {
  return work().then(
    () => {
      throw new Error('nothing was thrown');
    },
    (thrown: Error) => thrown,
  );
}

const insert = (tenantId: string): Prisma.Sql => Prisma.sql`
  INSERT INTO card (tenant_id, id, owner_id, subject, difficulty, question_text, occurred_at)
  VALUES (${tenantId}, 'a', 'amy', 'math', 9, ${SECRET}, now())`;

describe('an error of the database in the log', () => {
  test.each<[string, string, (tenantId: string) => Promise<unknown>]>([
    ['a row that breaks a rule', '23514', (tenantId) => fixture.database.execute(insert(tenantId))],
    ['a value of another type', '22P02', () => fixture.database.query(Prisma.sql`SELECT ${SECRET}::int`)],
    [
      "a value of another type in a viewer's question",
      '22P02',
      (tenantId) => fixture.database.as(admin(tenantId)).query(Prisma.sql`SELECT ${SECRET}::int`),
    ],
  ])('names what failed and where, and contains nothing of %s', async (_what, code, work) => {
    const thrown = await thrownBy(() => work(newTenant()));
    const logged = loggedError(new Error('a request failed', { cause: thrown }));
    expect(JSON.stringify(logged)).not.toContain(SECRET);
    expect(logged.cause?.code).toBe(code);
    expect(logged.cause?.stack?.length).toBeGreaterThan(0);
  });
});

test('an error keeps its type, message and place, its causes and its parts, and ends where it is its own cause', () => {
  const own = new TypeError('x'.repeat(600));
  own.cause = own;
  const logged = loggedError(new AggregateError([own, 'a text'], 'two failed'));
  expect(logged).toMatchObject({ type: 'AggregateError', message: 'two failed' });
  expect(logged.errors?.[0]).toMatchObject({ type: 'TypeError', message: 'x'.repeat(500) });
  expect(logged.errors?.[1]).toEqual({ type: 'string', message: 'the thrown value is not an Error' });
  expect(logged.stack?.[0]).toMatch(/^ {4}at /);
});

test('an outage is told without a stack, nor that of its cause, unless all stacks are asked for', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const outage = new UnavailableError('chroma', 'the vector server does not answer', { cause });
  expect(loggedError(outage)).toEqual({
    type: 'UnavailableError',
    message: 'chroma is unavailable: the vector server does not answer',
    code: 'UNAVAILABLE',
    cause: { type: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
  });
  const debugged = loggedError(outage, { allStacks: true });
  expect([debugged.stack?.[0], debugged.cause?.stack?.[0]]).toEqual([
    expect.stringMatching(/^ {4}at /),
    expect.stringMatching(/^ {4}at /),
  ]);
  expect(loggedError(new Error('a bug', { cause: outage })).stack).toBeDefined();
});
