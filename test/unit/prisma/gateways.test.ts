import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { enterDatabase } from '../../../prisma/gateways.js';
import { Closers } from '../../../src/domain/async.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
let other: TestDatabase;
const open: Closers[] = [];

beforeEach(async () => {
  [database, other] = await Promise.all([freshDatabase(), freshDatabase()]);
});
afterEach(async () => {
  for (const closers of open.splice(0)) await closers.close();
  await Promise.all([database.drop(), other.drop()]);
});

/** Returns what ends the gateway. */
async function enter(hasOwnChroma: boolean, { url } = database): Promise<() => Promise<void>> {
  const closers = new Closers();
  open.push(closers);
  await enterDatabase(url, {
    hasOwnChroma,
    closers,
    signal: new AbortController().signal,
    log: { warn: () => undefined },
  });
  return closers.close;
}

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

  test('an unreachable server is named without the password', async () => {
    const url = 'postgresql://user:hunter2@127.0.0.1:1/errata';
    const message = 'PostgreSQL at 127.0.0.1:1/errata cannot be used: the server cannot be reached';
    await expect(enter(false, { ...database, url })).rejects.toMatchObject({ exitCode: 69, message });
  });
});
