import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { startChroma } from '../../../src/runtime/embedded/chroma.js';
import { identify, isAlive, signal } from '../../../src/runtime/embedded/process.js';
import { cleanups, describeOwnChroma, embeddedOptions, folders, startParent } from '../../support/embedded.js';
import { until } from '../../support/until.js';

const GONE_WITHIN = { deadlineMs: 2_000, what: 'Chroma to be gone' };
const BACK_WITHIN = { deadlineMs: 30_000, what: 'Chroma to be back' };

describeOwnChroma('the Chroma of the zero-set-up mode', () => {
  const atEnd = cleanups();
  const freshFolder = folders(atEnd);

  async function start(folder: string) {
    const options = embeddedOptions(folder);
    const chroma = await startChroma(options);
    atEnd(() => chroma.close());
    let restarts = 0;
    chroma.onRestart(() => {
      restarts += 1;
    });
    return { ...options, chroma, restarts: () => restarts };
  }

  test('keeps acknowledged data after a close and a kill, and restarts at the same address', async () => {
    const folder = await freshFolder();
    const first = await start(folder);
    const collection = await createCollection(first.chroma.url());
    await add(first.chroma.url(), collection, ['a', 'b']);
    await first.chroma.close();

    const { chroma, lines, restarts } = await start(folder);
    expect(await count(chroma.url(), collection)).toBe(2);
    await add(chroma.url(), collection, ['c']);
    const url = chroma.url();
    signal(chroma.pid as number, 'SIGKILL');
    await until(() => restarts() === 1, BACK_WITHIN);
    expect(chroma.url()).toBe(url);
    expect(await count(chroma.url(), collection)).toBe(3);
    expect(chroma.state).toBe('ready');
    expect(lines.map(({ message }) => message)).toEqual(['chroma is down and will be restarted', 'chroma is up again']);
  });

  test('moves to another port if its own was taken, and is never confused with the program that took it', async () => {
    const { chroma } = await start(await freshFolder());
    const { port } = new URL(chroma.url());
    const impostor = createServer((_, response) => void response.end('{"nanosecond heartbeat":1}'));
    atEnd(() => new Promise((resolve) => impostor.close(resolve)));
    const taken = async (): Promise<boolean> => {
      // On a busy machine Chroma may be back before its port is taken.
      if (chroma.pid !== null) signal(chroma.pid, 'SIGKILL');
      return listens(impostor, Number(port));
    };
    await until(taken, { deadlineMs: 30_000, what: 'the port to be free' });
    await until(() => new URL(chroma.url()).port !== port && chroma.state === 'ready', BACK_WITHIN);
    expect(await createCollection(chroma.url())).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('ends within two seconds after the gateway is killed', async () => {
    const parent = startParent('chroma', await freshFolder());
    atEnd(() => parent.kill());
    const { url, pid } = await parent.told;
    const server = await identify(pid);
    if (server === null) throw new Error('Chroma does not run');
    await parent.kill();
    await until(async () => !(await isAlive(server)), GONE_WITHIN);
    await expect(fetch(`${url}/api/v2/heartbeat`)).rejects.toThrow();
  });

  test('never runs twice: a leftover of a killed gateway, even a suspended one, is ended first', async () => {
    const folder = await freshFolder();
    const parent = startParent('chroma', folder);
    atEnd(() => parent.kill());
    const { pid } = await parent.told;
    const left = await identify(pid);
    if (left === null) throw new Error('Chroma does not run');
    signal(pid, 'SIGSTOP');
    await parent.kill();
    expect(await isAlive(left)).toBe(true);
    const { chroma } = await start(folder);
    expect(await isAlive(left)).toBe(false);
    expect(chroma.pid).not.toBe(pid);
  });

  test('cannot be reset by clients', async () => {
    const { chroma } = await start(await freshFolder());
    const answer = await fetch(`${chroma.url()}/api/v2/reset`, { method: 'POST' });
    expect(answer.status).toBe(403);
  });
});

const DATABASE = '/api/v2/tenants/default_tenant/databases/default_database/collections';

async function call(url: string, body?: object): Promise<unknown> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(url, body === undefined ? {} : init);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function createCollection(url: string): Promise<string> {
  const { id } = (await call(`${url}${DATABASE}`, { name: 'kept' })) as { id: string };
  return id;
}

async function add(url: string, collection: string, ids: readonly string[]): Promise<void> {
  const embeddings = ids.map((_, index) => [1, index, 0]);
  await call(`${url}${DATABASE}/${collection}/add`, { ids, embeddings });
}

async function count(url: string, collection: string): Promise<unknown> {
  return call(`${url}${DATABASE}/${collection}/count`);
}

function listens(server: ReturnType<typeof createServer>, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
}
