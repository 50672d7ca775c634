import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ended, errata } from '../support/errata.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { gatewayDatabase, type TestDatabase } from '../support/gateway-database.js';
import { createCard } from '../support/notebook.js';
import { until } from '../support/until.js';

/** What the revocation of a key may take to be known everywhere. */
const REVOKED_WITHIN_MS = 5_000;

describe('a gateway with API keys', () => {
  let database: TestDatabase;
  let gateway: Gateway;

  beforeAll(async () => {
    database = await gatewayDatabase();
    gateway = await startGateway({ database, env: { API_KEYS: 'true' } });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  const keys = (...args: string[]): Promise<Ended> => errata(['keys', ...args], { DATABASE_URL: database.url });

  async function newKey(...args: string[]): Promise<{ readonly text: string; readonly id: string }> {
    const { out, err, code } = await keys('create', ...args);
    if (code !== 0) throw new Error(err);
    const text = out.trim();
    return { text, id: text.split('_')[1] ?? '' };
  }

  test('answers the command line with the key in ERRATA_TOKEN, and refuses it without one', async () => {
    const carl = await newKey('--owner', 'carl', '--role', 'student');
    const dora = await newKey('--owner', 'dora', '--role', 'student');
    await createCard(gateway.as(carl.text), { id: 'carls', questionText: '3/4 - 1/2' });
    const folder = await mkdtemp(join(tmpdir(), 'errata-keys-'));
    const file = join(folder, 'cards.jsonl');
    const exported = async (env: Readonly<Record<string, string>>): Promise<readonly string[]> => {
      const { code, err } = await errata(['export', file, '--url', gateway.url], env);
      if (code !== 0) throw new Error(err);
      return (await readFile(file, 'utf8')).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).id]));
    };
    try {
      expect(await exported({ ERRATA_TOKEN: carl.text })).toEqual(['carls']);
      await expect(exported({ ERRATA_TOKEN: dora.text })).rejects.toThrow('there are no cards: nothing is written');
      await expect(exported({})).rejects.toThrow('Authorization');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('authenticates holders of a key as its owner, with its scopes', async () => {
    const amy = await newKey('--owner', 'amy', '--role', 'student');
    const reader = await newKey('--owner', 'ben', '--role', 'teacher', '--scopes', 'read');
    const scraper = await newKey(
      '--owner',
      'prometheus',
      '--role',
      'student',
      '--scopes',
      'metrics',
      '--days',
      'never',
    );
    const asAmy = gateway.as(amy.text);
    await createCard(asAmy, { id: 'amys', questionText: '1/2 + 1/3' });

    const asReader = gateway.as(reader.text);
    expect((await asReader.gql('{ card(id: "amys") { questionText } }')).data).toEqual({
      card: { questionText: '1/2 + 1/3' },
    });
    const change = await asReader.gql('mutation { deleteCard(id: "amys") }');
    expect(change).toMatchObject({ status: 403, data: null, errors: [{ extensions: { code: 'FORBIDDEN' } }] });

    const asScraper = await gateway.as(scraper.text).gql('{ card(id: "amys") { id } }');
    expect(asScraper).toMatchObject({ status: 403, data: null, errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    const figures = (bearer: string) =>
      fetch(new URL('/metrics', gateway.url), { headers: { authorization: `Bearer ${bearer}` } });
    expect((await figures(amy.text)).status).toBe(403);
    const metrics = await figures(scraper.text);
    expect(metrics.status).toBe(200);
    const text = await metrics.text();
    for (const figure of [
      'errata_search_seconds',
      'errata_database_up 1',
      'errata_outbox_lag_seconds',
      'errata_indexer_paused 0',
    ])
      expect(text).toContain(figure);
    expect(text).not.toMatch(/amy|ben|prometheus|default/);

    const lines = [
      `${amy.id}  tenant "default"  owner "amy"  student  read write  .*expires 20.*, used 20`,
      `${scraper.id} .*never expires, used`,
    ];
    // No request waits until the use of its key is stored.
    const listed = async (): Promise<string | false> => {
      const { out } = await keys('list');
      return lines.every((line) => new RegExp(line).test(out)) && out;
    };
    const out = await until(listed, { deadlineMs: 30_000, what: `keys to be listed as ${lines.join(' and ')}` });
    for (const { text } of [amy, reader, scraper])
      expect(out + gateway.output()).not.toContain(text.slice(text.length - 43));
  });

  test('refuses a revoked key', async () => {
    const { text, id } = await newKey('--owner', 'amy', '--role', 'student');
    const asked = (): Promise<{ status: number }> => gateway.as(text).gql('{ facets { total } }');
    expect((await asked()).status).toBe(200);
    expect((await keys('revoke', id)).code).toBe(0);
    await until(async () => (await asked()).status === 401, {
      deadlineMs: REVOKED_WITHIN_MS,
      what: 'the key to be refused',
    });
    expect((await keys('list')).out).toMatch(new RegExp(`${id} .*revoked 20`));
  });

  test.each([
    [['create', '--owner', 'amy'], 64, 'required option'],
    [['create', '--owner', 'amy', '--role', 'root'], 64, 'student, teacher, admin'],
    [['create', '--owner', 'amy', '--role', 'admin', '--days', '0'], 64, 'whole number from 1'],
    [['create', '--owner', ' ', '--role', 'admin'], 64, 'errata: --owner must not be empty'],
    [['revoke', '012345619abcdef'], 1, 'there is no key'],
  ])('%j is refused with a clear message', async (args, code, words) => {
    const said = await keys(...args);
    expect(said).toEqual({ code, signal: null, out: '', err: expect.stringContaining(words) });
    expect(said.err).not.toMatch(/\n {4}at /);
  });
});

test('commands of keys name the database that they use, and not its password', async () => {
  const database = await gatewayDatabase();
  try {
    const env = { DATABASE_URL: database.url };
    const { host, pathname } = new URL(database.url);
    const line = `Database: ${host}${pathname}`;
    expect(await errata(['keys', 'list'], env)).toMatchObject({ code: 0, err: `${line}\n` });
    const revoked = await errata(['keys', 'revoke', '0123456789abcdef'], env);
    expect(revoked).toMatchObject({ code: 1, err: `${line}\nerrata: there is no key with the id 0123456789abcdef\n` });
  } finally {
    await database.drop();
  }
});

describe('keys of an embedded database', () => {
  test('in an unusable folder are refused with the reason', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'errata-keys-'));
    try {
      await writeFile(join(dataDir, 'postgres'), '');
      const { code, err } = await errata(['keys', 'list'], { DATA_DIR: dataDir });
      expect(err).toMatch(/^errata: the data directory \S+ cannot be used: part of the path is a file .*\n$/);
      expect(code).toBe(78);
    } finally {
      await rm(dataDir, { recursive: true });
    }
  });

  test('can be created before the first start of a gateway, and beside a running one', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'errata-keys-'));
    const env = { DATA_DIR: dataDir };
    try {
      const before = (await errata(['keys', 'create', '--owner', 'amy', '--role', 'admin'], env)).out.trim();
      const gateway = await startGateway({ embedded: true, dataDir, env: { API_KEYS: '1' } });
      try {
        const beside = (await errata(['keys', 'create', '--owner', 'ben', '--role', 'student'], env)).out.trim();
        for (const key of [before, beside]) {
          expect(await gateway.as(key).gql('{ facets { total } }')).toMatchObject({
            status: 200,
            data: { facets: { total: 0 } },
          });
        }
        expect(await gateway.gql('{ facets { total } }')).toMatchObject({ status: 401, data: null });
      } finally {
        await gateway.close();
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});

describe('a gateway without authentication', () => {
  test('warns at every start', async () => {
    const gateway = await startGateway();
    try {
      expect(gateway.output()).toContain('no authentication');
    } finally {
      await gateway.close();
    }
  });
});
