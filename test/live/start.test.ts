import { once } from 'node:events';
import { chmod, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readIdentity } from '../../src/runtime/embedded/process.js';
import { type Exit, type GatewayOptions, spawnGateway, startGateway } from '../support/gateway.js';
import { gatewayDatabase } from '../support/gateway-database.js';
import { idsOf, wholeSearch as search } from '../support/notebook.js';

/** What a start that cannot succeed is allowed to take. */
const REFUSAL_MS = 30_000;

async function refused(
  options: GatewayOptions,
): Promise<{ readonly exit: Exit; readonly output: string; readonly tookMs: number }> {
  const gateway = await spawnGateway(options);
  const started = performance.now();
  try {
    const exit = await gateway.exited;
    return { exit, output: gateway.output(), tookMs: performance.now() - started };
  } finally {
    await gateway.close();
  }
}

/** Everything in a folder, and the folder itself, that users other than its owner may do something with. */
async function openToOthers(folder: string): Promise<readonly string[]> {
  const open: string[] = [];
  for (const path of ['', ...(await readdir(folder, { recursive: true }))]) {
    // A running server makes and removes files of its own.
    const found = await lstat(join(folder, path)).catch(() => null);
    if (found !== null && (found.mode & 0o077) !== 0) open.push(path);
  }
  return open;
}

describe('the zero-set-up mode', () => {
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'errata-start-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));

  test('a first start loads the sample notebook, prints its address and a working query, and ends on SIGTERM with all child processes', async () => {
    const gateway = await startGateway({ embedded: true, dataDir, env: { SEED_SAMPLE: '' } });
    try {
      const { data } = await gateway.gql<{ indexStatus: { cards: number; indexed: number } }>(
        '{ indexStatus { cards indexed } }',
      );
      expect(data?.indexStatus.cards).toBeGreaterThanOrEqual(160);
      expect(data?.indexStatus.indexed).toBe(data?.indexStatus.cards);

      const [, suggested] = /send this query:\n\n *(.+)\n/.exec(gateway.output()) ?? [];
      if (suggested === undefined) throw new Error(`no query in ${gateway.output()}`);
      const answer = await gateway.gql<Record<string, { hits: unknown[] }>>(suggested);
      expect(answer.errors).toBeUndefined();
      expect(Object.values(answer.data ?? {})[0]?.hits.length).toBeGreaterThan(0);

      const started = performance.now();
      gateway.kill('SIGTERM');
      expect(await gateway.exited).toEqual({ code: null, signal: 'SIGTERM' });
      expect(performance.now() - started).toBeLessThan(10_000);
      for (const server of ['postgres', 'chroma']) {
        expect(await readIdentity(join(dataDir, server, 'running.json'))).toBeNull();
      }
      expect(await openToOthers(dataDir)).toEqual([]);
    } finally {
      await gateway.close();
    }
  });

  test('a second start has all cards, vectors and snapshots, and another gateway is refused with the pid of the first', async () => {
    // As an earlier version left them.
    for (const path of ['', 'vectors', 'chroma', 'chroma/server']) await chmod(join(dataDir, path), 0o755);
    const gateway = await startGateway({ embedded: true, dataDir, env: { SEED_SAMPLE: '' } });
    try {
      expect(await openToOthers(dataDir)).toEqual([]);
      const answer = await search(gateway, 'byError', { text: '忽略定义域', topK: 3 });
      expect(answer.receipt.degraded).toEqual([]);
      expect(answer.hits).toHaveLength(3);
      const byWords = await search(gateway, 'byError', { text: '忽略定义域', topK: 3, options: { lexicalShare: 1 } });
      expect(
        byWords.hits[0]?.lanes.find(({ kind, weight }) => kind === 'LEXICAL' && weight > 0)?.score,
      ).toBeGreaterThan(0);

      const second = await refused({ embedded: true, dataDir });
      expect(second.exit.code).toBe(75);
      expect(second.output).toContain(`${gateway.pid}`);
      expect(second.tookMs).toBeLessThan(REFUSAL_MS);
      expect(idsOf(await search(gateway, 'byError', { text: '忽略定义域', topK: 3 }))).toEqual(idsOf(answer));

      // Ctrl-C reaches a whole process group; here it reaches the gateway, and a second one is not needed.
      gateway.kill('SIGINT');
      expect(await gateway.exited).toEqual({ code: null, signal: 'SIGINT' });
    } finally {
      await gateway.close();
    }
  });
});

describe('a start that cannot succeed says why in one line, quickly:', () => {
  const expectRefusal = (
    { exit, output, tookMs }: Awaited<ReturnType<typeof refused>>,
    code: number,
    reason: RegExp,
  ): void => {
    const lines = output.split('\n').filter((line) => line.startsWith('errata: '));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(reason);
    expect(exit).toEqual({ code, signal: null });
    expect(tookMs).toBeLessThan(REFUSAL_MS);
  };

  test('a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    try {
      expectRefusal(await refused({ env: { PORT: `${port}` } }), 69, new RegExp(`port ${port} is taken`));
    } finally {
      other.close();
    }
  });

  test('an unreachable database, without the password in the message', async () => {
    const url = 'postgresql://someone:very-secret@127.0.0.1:1/errata';
    const refusal = await refused({ env: { DATABASE_URL: url } });
    expectRefusal(refusal, 69, /127\.0\.0\.1:1/);
    expect(refusal.output).not.toContain('very-secret');
  });

  test('a read-only database', async () => {
    const database = await gatewayDatabase();
    try {
      const url = new URL(database.url);
      url.searchParams.set('options', '-c default_transaction_read_only=on');
      const refusal = await refused({ database: { ...database, url: url.href } });
      expectRefusal(refusal, 69, /database is unavailable: the server is read-only$/);
      expect(refusal.output).not.toContain(' at ');
    } finally {
      await database.drop();
    }
  });

  test('an unreachable Chroma', async () => {
    expectRefusal(await refused({ env: { CHROMA_URL: 'http://127.0.0.1:1' } }), 69, /Chroma.*http:\/\/127\.0\.0\.1:1/);
  });

  test.each(['--port=4001', '--help'])('an argument, which would have no effect: %s', async (argument) => {
    expectRefusal(await refused({ args: [argument] }), 64, /takes no arguments; settings are environment variables/);
  });

  test('invalid settings, all of them at once', async () => {
    const refusal = await refused({ env: { PORT: 'eighty', LOG_LEVEL: 'loud' } });
    expectRefusal(refusal, 78, /the settings are not usable:$/);
    expect(refusal.output).toMatch(/^ {2}PORT: .*\n {2}LOG_LEVEL: /m);
  });

  test('a data directory that cannot be created', async () => {
    // Root may write anywhere, so a path below a device stands for what nobody can make.
    expectRefusal(await refused({ env: { DATA_DIR: '/dev/null/errata' } }), 78, /\/dev\/null\/errata/);
  });
});
