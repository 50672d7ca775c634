import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { enterDatabase } from '../../../prisma/gateways.js';
import { Closers } from '../../../src/domain/async.js';
import { freshDatabase, type TestDatabase, testServer } from '../../support/database.js';
import { until } from '../../support/until.js';

let database: TestDatabase;
let lines: string[];
let other: TestDatabase;
const open: Closers[] = [];

beforeEach(async () => {
  lines = [];
  [database, other] = await Promise.all([freshDatabase(), freshDatabase()]);
});
afterEach(async () => {
  for (const closers of open.splice(0)) await closers.close();
  await Promise.all([database.drop(), other.drop()]);
});

const log = {
  info: (_facts: object, message: string) => void lines.push(`info: ${message}`),
  warn: (_facts: object, message: string) => void lines.push(`warn: ${message}`),
  error: (_facts: object, message: string) => void lines.push(`error: ${message}`),
};

/** Ends the sessions that hold the lock, as a restart of PostgreSQL does. */
async function loseLock(client: pg.Client): Promise<void> {
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks
    WHERE locktype = 'advisory' AND objid = hashtext($1)::oid AND granted`,
    [database.schema],
  );
}

async function connected<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: testServer().href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function entered(chroma: string | null, { url } = database) {
  const closers = new Closers();
  open.push(closers);
  const { olderChroma } = await enterDatabase(url, { chroma, closers, signal: new AbortController().signal, log });
  return { olderChroma, end: closers.close };
}

/** Returns what ends the gateway. */
async function enter(hasOwnChroma: boolean, of = database): Promise<() => Promise<void>> {
  return (await entered(hasOwnChroma ? null : 'chroma:8000', of)).end;
}

const LOST = 'warn: the lock of the database was lost';
const TAKEN = 'error: another gateway has taken the database';
const HELD = 'info: the lock of the database is held again';
const remedy = 'set CHROMA_URL of all its gateways to one server';

describe('entering a database', () => {
  test('any number of gateways with an external Chroma enter; one with an embedded Chroma is refused until all have ended', async () => {
    const ends = [await enter(false), await enter(false)];
    const refusal = {
      exitCode: 75,
      message: expect.stringMatching(`cannot be used: another gateway uses it; ${remedy}`),
    };
    await expect(enter(true)).rejects.toMatchObject(refusal);
    for (const end of ends) await end();
    await enter(true);
  });

  test('a gateway with an embedded Chroma is alone in its schema until it ends', async () => {
    const end = await enter(true);
    await enter(true, other);
    const [own, external] = await Promise.allSettled([enter(true), enter(false)]);
    expect(own).toMatchObject({
      reason: { exitCode: 75, message: expect.stringContaining('another gateway uses it') },
    });
    const message = expect.stringMatching(`a gateway with an embedded Chroma uses it; ${remedy}`);
    expect(external).toMatchObject({ reason: { exitCode: 75, message } });
    await end();
    await enter(false);
  });

  test('a gateway that loses the lock takes it again', async () => {
    await enter(true);
    await connected(loseLock);
    await until(() => lines.length === 2, { deadlineMs: 30_000, what: 'the lock to be held again' });
    expect(lines).toEqual([LOST, HELD]);
    await expect(enter(true)).rejects.toMatchObject({ exitCode: 75 });
  });

  test('a gateway whose lock is taken meanwhile says so once, and takes it when it is free again', async () => {
    await enter(true);
    await connected(async (other) => {
      // Waits for the lock, and so takes it before the gateway can.
      const taking = other.query('SELECT pg_advisory_lock(72707370, hashtext($1))', [database.schema]);
      await connected(loseLock);
      await taking;
      await until(() => lines.includes(TAKEN), { deadlineMs: 30_000, what: 'the other gateway to be noticed' });
    });
    await until(() => lines.length > 2, { deadlineMs: 30_000, what: 'the lock to be held again' });
    expect(lines).toEqual([LOST, TAKEN, HELD]);
  });

  test('a gateway knows the Chroma of an older one on its schema if it is another, and not that of a younger one', async () => {
    await entered('elsewhere:8000', other);
    const first = await entered('chroma:8000');
    const second = await entered('chroma:8000');
    const third = await entered('chroma:8000/north');
    expect(await Promise.all([first, second, third].map(({ olderChroma }) => olderChroma()))).toEqual([
      null,
      null,
      'chroma:8000',
    ]);
    await first.end();
    await second.end();
    await until(async () => (await third.olderChroma()) === null, { deadlineMs: 30_000, what: 'the others to end' });
  });

  test('an unreachable server is named without the password', async () => {
    const url = 'postgresql://user:hunter2@127.0.0.1:1/errata';
    const message = 'PostgreSQL at 127.0.0.1:1/errata cannot be used: the server cannot be reached';
    await expect(enter(false, { ...database, url })).rejects.toMatchObject({ exitCode: 69, message });
  });
});
