import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Ended, errata, startErrata } from '../../support/errata.js';
import { type Folder, makeFolder } from '../../support/files.js';
import { type HttpServer, startHttpServer } from '../../support/http-server.js';

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
 * A gateway whose imports end as the test says: a real one is not brought to fail in the middle of a file, or to find
 * out after its answer that it cannot use one.
 */
function gatewayWhere(fate: Fate): Promise<HttpServer> {
  return startHttpServer(async (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url?.startsWith('/import')) {
      request.resume();
      await once(request, 'end');
      response.writeHead(202).end(JSON.stringify({ importJob: JOB }));
      return;
    }
    const { query } = (await json(request)) as { query: string };
    const importJob = query.includes('rowProblems(')
      ? { rowProblems: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } } }
      : { ...JOB, ...fate };
    const answer = 'errors' in fate ? fate : { data: { importJob } };
    response.end(JSON.stringify(answer));
  });
}

let folder: Folder;
let gateway: HttpServer | undefined;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(async () => {
  await gateway?.close();
  await folder.remove();
});

async function importWhere(fate: Fate): Promise<Ended> {
  gateway = await gatewayWhere(fate);
  return errata(await importArgs(gateway));
}

async function importArgs({ url }: HttpServer): Promise<readonly string[]> {
  const file = await folder.write('cards.csv', '题目\n');
  return ['import', file, '--no-wait', '--url', url];
}

const finishedAt = '2026-01-01T00:00:01Z';

describe('errata import', () => {
  test('exits with 0 if every row was imported', async () => {
    expect(await importWhere({ state: 'DONE', read: 1, created: 1, finishedAt })).toMatchObject({ code: 0 });
  });

  test.each([
    ['a row failed', { state: 'DONE', read: 1, failed: 1 }, '1 failed'],
    ['the file was refused after the answer', { state: 'REFUSED', problem: 'holds no table' }, 'holds no table'],
    ['the import failed', { state: 'FAILED', problem: 'internal error 7' }, 'internal error 7'],
    ['the import was cancelled', { state: 'CANCELLED' }, 'cancelled in'],
  ])('exits with 1 if %s', async (_name, fate, said) => {
    const { code, out } = await importWhere({ ...fate, finishedAt });
    expect(out).toContain(said);
    expect(code).toBe(1);
  });

  test.each(['the file that is imported', 'another file'])(
    'does not overwrite %s with a report, and imports nothing',
    async (which) => {
      gateway = await gatewayWhere({ state: 'DONE', finishedAt });
      let requests = 0;
      gateway.server.on('request', () => {
        requests += 1;
      });
      const args = await importArgs(gateway);
      const report = which === 'another file' ? await folder.write('report.csv', 'mine') : (args[1] as string);
      const before = await readFile(report, 'utf8');
      const { code, err } = await errata([...args, '--report', report]);
      expect([code, err]).toEqual([73, `errata: ${report} exists already: remove it, or name another file\n`]);
      expect([await readFile(report, 'utf8'), requests]).toEqual([before, 0]);
    },
  );

  test('leaves no empty report behind if the gateway does not answer', async () => {
    gateway = await gatewayWhere({ errors: [{ message: 'no', extensions: { code: 'RATE_LIMITED' } }] });
    const report = join(folder.path, 'report.csv');
    expect(await errata([...(await importArgs(gateway)), '--report', report])).toMatchObject({ code: 75 });
    await expect(readFile(report)).rejects.toThrow('ENOENT');
  });

  test('does not report a file as refused if the gateway refuses to show its import', async () => {
    const { code, out, err } = await importWhere({
      errors: [{ message: 'too many questions', extensions: { code: 'RATE_LIMITED' } }],
    });
    expect(out).not.toContain('refused');
    expect(err).toContain('errata: too many questions');
    expect(code).toBe(75);
  });

  test.each(['SIGTERM', 'SIGHUP'] as const)(
    'stopped by %s says how to continue, and ends by the signal',
    async (by) => {
      gateway = await gatewayWhere({ read: 0 });
      const command = startErrata(await importArgs(gateway));
      await once(gateway.server, 'request');
      command.kill(by);
      const { signal, out, err } = await command.ended;
      expect(err).toMatch(
        /errata: stopped: run the same command again to finish it(; .* errata cancel-import job --url http\S+)?\n$/,
      );
      expect(out).not.toContain('refused');
      expect(signal).toBe(by);
    },
  );
});
