import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/root.js';
import { type Folder, makeFolder } from '../support/files.js';

const run = promisify(execFile);

/** Runs the compiled command line. */
async function errata(...args: readonly string[]) {
  const program = join(packageRoot(), 'dist', 'src', 'commands', 'errata.js');
  return run(process.execPath, [program, ...args], { env: { PATH: process.env.PATH ?? '' } }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ code: Number(code), out: String(stdout), err: String(stderr) }),
  );
}

const JOB = {
  id: 'job',
  name: 'cards.csv',
  state: 'RUNNING',
  problem: null,
  notices: [],
  total: 1,
  read: 0,
  created: 0,
  updated: 0,
  merged: 0,
  skipped: 0,
  failed: 0,
  createdAt: '2026-01-01T00:00:00Z',
  finishedAt: null,
};

/** What a gateway answers about the job that it began; `errors` in place of it where it refuses to say. */
type Fate = Readonly<Record<string, unknown>>;

/**
 * A gateway whose imports end as the test says: a real one is not brought to fail in the middle of a file, or to find out
 * after its answer that it cannot use one.
 */
async function gatewayWhere(fate: Fate): Promise<Server> {
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url?.startsWith('/import')) {
      request.resume();
      await once(request, 'end');
      response.writeHead(202).end(JSON.stringify({ importJob: JOB }));
      return;
    }
    const { query } = (await json(request)) as { query: string };
    const importJob = query.includes('problems(') ? { problems: [] } : { ...JOB, ...fate };
    const answer = 'errors' in fate ? fate : { data: { importJob } };
    response.end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

let folder: Folder;
let server: Server | undefined;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  await folder.remove();
});

async function importWhere(fate: Fate) {
  server = await gatewayWhere(fate);
  const { port } = server.address() as AddressInfo;
  const file = await folder.write('cards.csv', '题目\n');
  return errata('import', file, '--no-wait', '--url', `http://127.0.0.1:${port}`);
}

const finishedAt = '2026-01-01T00:00:01Z';

describe('errata import', () => {
  test('ends with 0 where every row was imported', async () => {
    expect(await importWhere({ state: 'DONE', read: 1, created: 1, finishedAt })).toMatchObject({ code: 0 });
  });

  test.each([
    ['a row failed', { state: 'DONE', read: 1, failed: 1 }, '1 failed'],
    ['the file was refused after the answer', { state: 'REFUSED', problem: 'holds no table' }, 'holds no table'],
    ['the import failed', { state: 'FAILED', problem: 'internal error 7' }, 'internal error 7'],
  ])('ends with 1 where %s', async (_name, fate, said) => {
    const { code, out } = await importWhere({ ...fate, finishedAt });
    expect(out).toContain(said);
    expect(code).toBe(1);
  });

  test('does not say that a file was refused where the gateway refuses to tell of its import', async () => {
    const { code, out, err } = await importWhere({
      errors: [{ message: 'too many questions', extensions: { code: 'RATE_LIMITED' } }],
    });
    expect(out).not.toContain('refused');
    expect(err).toContain('errata: too many questions');
    expect(code).toBe(70);
  });
});
