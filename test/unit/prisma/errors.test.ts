import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { translated } from '../../../prisma/errors.js';
import { Prisma, PrismaClient } from '../../../prisma/generated/client.js';
import { ResourceExhaustedError, UnavailableError } from '../../../src/domain/errors.js';
import { type Fixture, openFixture } from './fixture.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

/** The error of a statement that the server answers with this SQLSTATE, for raw SQL and for Prisma's operations. */
async function failureOf(state: string): Promise<unknown> {
  const raise = Prisma.raw(`DO $$ BEGIN RAISE EXCEPTION 'of no interest' USING ERRCODE = '${state}'; END $$`);
  return fixture.database.execute(raise).catch((thrown: unknown) => thrown);
}

test.each([
  ['53000', 'out of resources'],
  ['53100', 'disk is full'],
  ['53200', 'out of resources'],
  ['53300', 'no connection free'],
])('%s: a server out of resources is distinguished from one that is away', async (state, reason) => {
  const failure = await failureOf(state);
  expect(failure).toBeInstanceOf(ResourceExhaustedError);
  // Callers that pause for an outage pause for this, too.
  expect(failure).toBeInstanceOf(UnavailableError);
  expect(failure).toMatchObject({ code: 'RESOURCE_EXHAUSTED', part: 'database' });
  expect((failure as Error).message).toContain(reason);
});

test.each(['25006', '28P01', '3D000', '57014', '57P03', '57P05'])(
  '%s: a server that refuses temporarily is unavailable',
  async (state) => {
    const failure = await failureOf(state);
    expect(failure).toBeInstanceOf(UnavailableError);
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', part: 'database' });
  },
);

test.each(['ENOTFOUND', 'EAI_AGAIN'])('%s: a server whose name is not resolved is unavailable', (code) => {
  const failed = Object.assign(new Error(`getaddrinfo ${code} db`), { code, syscall: 'getaddrinfo' });
  expect(translated(failed)).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('be reached') });
});

test('a transaction that waits too long for a connection says so', async () => {
  const pool = new pg.Pool({ connectionString: fixture.url, max: 1 });
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions: { maxWait: 200 } });
  const held = await pool.connect();
  try {
    const failure = await prisma.$transaction(async () => undefined).catch((thrown: unknown) => thrown);
    const message = 'database is unavailable: no connection became free in time';
    expect(translated(failure)).toMatchObject({ code: 'UNAVAILABLE', message });
  } finally {
    held.release();
    await prisma.$disconnect();
    await pool.end();
  }
});
