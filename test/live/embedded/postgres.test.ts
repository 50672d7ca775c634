import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { delay } from '../../../src/domain/async.js';
import { runningPostgres, startPostgres } from '../../../src/runtime/embedded/postgres.js';
import { identify, isAlive, readIdentity, signal } from '../../../src/runtime/embedded/process.js';
import { cleanups, embeddedOptions, folders, onLinux, startParent } from '../../support/embedded.js';
import { until } from '../../support/until.js';

const GONE_WITHIN = { deadlineMs: 2_000, what: 'PostgreSQL to be gone' };
const BACK_WITHIN = { deadlineMs: 30_000, what: 'PostgreSQL to be back' };

describe('the PostgreSQL of the zero-set-up mode', () => {
  const atEnd = cleanups();
  const freshFolder = folders(atEnd);

  async function start(folder: string) {
    const options = embeddedOptions(folder);
    const postgres = await startPostgres(options);
    atEnd(() => postgres.close());
    return { ...options, postgres };
  }

  test('creates its database at the first start, keeps it for the next, and ends with close', async () => {
    const folder = await freshFolder();
    const { postgres } = await start(folder);
    const settings = `SELECT current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
      current_setting('listen_addresses') AS listens, current_setting('unix_socket_directories') AS sockets`;
    expect(await query(postgres.url, settings)).toEqual([
      { encoding: 'UTF8', fsync: 'on', listens: '127.0.0.1', sockets: '' },
    ]);
    const ordered = `SELECT string_agg(word, ' ' ORDER BY word) AS words FROM unnest(ARRAY['é', 'b', '错', 'B', 'a']) word`;
    expect(await query(postgres.url, ordered)).toEqual([{ words: 'B a b é 错' }]);
    await query(postgres.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const server = await identify(postgres.pid as number);
    await postgres.close();
    expect(postgres.state).toBe('stopped');
    expect(server && (await isAlive(server))).toBe(false);

    const again = await start(folder);
    expect(await query(again.postgres.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  test.runIf(process.getuid?.() === 0)('opens a cluster that root has copied', async () => {
    const folder = await freshFolder();
    const { postgres } = await start(folder);
    await query(postgres.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await postgres.close();
    const copy = join(await freshFolder(), 'copy');
    // Unlike `cp` with its preservation of owners.
    await cp(folder, copy, { recursive: true });
    const again = await start(copy);
    expect(await query(again.postgres.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  test('is found by another process in each moment of its first start, and answers when it is', async () => {
    const options = embeddedOptions(await freshFolder());
    expect(await runningPostgres(options)).toBe(null);
    const starting = startPostgres(options);
    atEnd(async () => (await starting).close());
    let found = await runningPostgres(options);
    for (; found === null; await delay(1)) found = await runningPostgres(options);
    expect(await query(found, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(found).toBe((await starting).url);
    await (await starting).close();
    expect(await runningPostgres(options)).toBe(null);
  });

  test('refuses connections without the password', async () => {
    const { postgres } = await start(await freshFolder());
    const url = new URL(postgres.url);
    url.password = 'guess';
    await expect(query(url.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  });

  test('starts after a kill at any moment of its first start', async () => {
    const folder = await freshFolder();
    for (const ms of [80, 200, 400, 700, 1_000]) {
      const parent = startParent('postgres', folder);
      atEnd(() => parent.kill());
      await delay(ms);
      await parent.kill();
      if (await finished(folder)) break;
    }
    const { postgres } = await start(folder);
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect((await readdir(folder)).sort()).toEqual(['18', 'running.json']);
  });

  test('ends within two seconds after the gateway is killed, and starts again at once with its data', async () => {
    const folder = await freshFolder();
    for (const wait of [true, false]) {
      const parent = startParent('postgres', folder);
      atEnd(() => parent.kill());
      const { url, pid } = await parent.told;
      const server = await identify(pid);
      if (server === null) throw new Error('PostgreSQL does not run');
      await query(url, 'CREATE TABLE IF NOT EXISTS kept (round int)');
      await query(url, 'INSERT INTO kept VALUES (1)');
      await parent.kill();
      if (wait) await until(async () => !(await isAlive(server)), GONE_WITHIN);
    }
    const { postgres } = await start(folder);
    expect(await query(postgres.url, 'SELECT count(*)::int AS rounds FROM kept')).toEqual([{ rounds: 2 }]);
  });

  test('restarts at the same address when it, or its watchdog, is killed', async () => {
    const { postgres, lines } = await start(await freshFolder());
    let restarts = 0;
    postgres.onRestart(() => {
      restarts += 1;
    });
    const victims = [async () => postgres.pid, async () => parentOf(postgres.pid as number)];
    for (const [index, victim] of (onLinux ? victims : victims.slice(0, 1)).entries()) {
      signal((await victim()) as number, 'SIGKILL');
      await until(() => restarts === index + 1, BACK_WITHIN);
      expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      expect(postgres.state).toBe('ready');
    }
    expect(lines.filter(({ message }) => message.includes('will be restarted'))).toHaveLength(restarts);
  });

  (onLinux ? test : test.skip)('starts where another program has the pid of a killed server now', async () => {
    const folder = await freshFolder();
    const parent = startParent('postgres', folder);
    atEnd(() => parent.kill());
    const { pid } = await parent.told;
    const file = join(folder, '18', 'cluster', 'postmaster.pid');
    const text = await readFile(file, 'utf8');
    await parent.kill();
    await until(async () => (await identify(pid)) === null, GONE_WITHIN);
    // PostgreSQL minds processes of its own user only.
    const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null;
    const stranger = spawn('/bin/sleep', ['600'], { cwd: '/', ...owner });
    const gone = once(stranger, 'exit');
    atEnd(async () => {
      stranger.kill('SIGKILL');
      await gone;
    });
    await writeFile(file, [stranger.pid, ...text.split('\n').slice(1)].join('\n'));
    // The server may have removed its file: then this one is new, and private if a test before has locked a folder.
    if (owner !== null) await chown(file, owner.uid, owner.gid);
    const { postgres } = await start(folder);
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(stranger.exitCode).toBeNull();
  });

  test('a first start that is aborted ends within five seconds and leaves no process behind', async () => {
    const folder = await freshFolder();
    const options = embeddedOptions(folder);
    const starting = startPostgres(options).catch((thrown: unknown) => thrown);
    await until(() => readIdentity(join(folder, 'running.json')), { deadlineMs: 30_000, what: 'initdb to run' });
    const begun = performance.now();
    options.abort.abort(new Error('called off'));
    expect(await starting).toMatchObject({ message: 'called off' });
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(await readIdentity(join(folder, 'running.json'))).toBeNull();
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function finished(folder: string): Promise<boolean> {
  return (await readdir(folder)).includes('18');
}

async function parentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]);
}
