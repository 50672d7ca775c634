import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/settings.js';
import { Closers } from '../../../src/domain/async.js';
import { UnavailableError } from '../../../src/domain/errors.js';
import { startServers } from '../../../src/runtime/servers.js';

/** Starts with an external Chroma that fails its first calls; how many calls there were. */
async function callsUntilAnswered(failures: number, signal = new AbortController().signal): Promise<number> {
  const config = parseConfig({ DATABASE_URL: 'postgresql://127.0.0.1/errata', CHROMA_URL: 'http://127.0.0.1:8000' });
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined };
  const servers = await startServers(config, { log, announce: () => undefined, closers: new Closers(), signal });
  let calls = 0;
  await servers.expectChroma(async () => {
    calls += 1;
    if (calls <= failures) throw new UnavailableError('chroma', 'the vector server does not answer');
  });
  return calls;
}

test('a start goes on if Chroma misses the deadline of a call and answers a later one', async () => {
  expect(await callsUntilAnswered(3)).toBe(4);
});

test('a start fails, and names the server, if Chroma answers none of several calls', async () => {
  await expect(callsUntilAnswered(100)).rejects.toMatchObject({
    message:
      'the Chroma server at http://127.0.0.1:8000 cannot be used: chroma is unavailable: the vector server does not answer',
    exitCode: 69,
  });
});

test('a start that is told to end does not call Chroma again', async () => {
  await expect(callsUntilAnswered(1, AbortSignal.abort(new Error('told to end')))).rejects.toThrow('told to end');
});
