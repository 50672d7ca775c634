import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUILTIN_SETTINGS } from '../../src/search/profile.js';
import { errata, errataInTime } from '../support/errata.js';
import { type Folder, makeFolder } from '../support/files.js';
import { type Gateway, spawnGateway, startGateway } from '../support/gateway.js';
import { gatewayDatabase, type TestDatabase } from '../support/gateway-database.js';

const LISTED = '{ facets { total } }';

let folder: Folder;
let database: TestDatabase;
let gateway: Gateway;
beforeAll(async () => {
  folder = await makeFolder();
  database = await gatewayDatabase();
  const operations = await folder.write('operations.json', JSON.stringify([LISTED]));
  gateway = await startGateway({ database, env: { OPERATIONS_FILE: operations } });
});
afterAll(async () => {
  await gateway?.close();
  await database?.drop();
  await folder?.remove();
});

/** Runs a command on the gateway; fails where it fails. */
async function run(...args: string[]): Promise<string> {
  const { code, out, err } = await errata([...args, '--url', gateway.url]);
  expect({ args, code, err: code === 0 ? '' : err }).toEqual({ args, code: 0, err: '' });
  return out;
}

describe('a gateway with an operations file', () => {
  test('accepts listed operations and all commands of the command line, and nothing else', async () => {
    expect((await gateway.gql(LISTED)).status).toBe(200);
    expect((await gateway.gql('{ facets { total count: total } }')).status).toBe(400);

    const cards = await folder.write(
      'cards.csv',
      'id,subject,difficulty,question\na,math,1,1/2+1/3\nb,math,1,3/4+1/8\n',
    );
    expect(await run('import', cards)).toContain('2 created');
    const found = join(folder.path, 'found.jsonl');
    const search = ['export', found, '--search', '1/2+1/3', '--by', 'similarQuestions', '--url', gateway.url];
    expect(await errataInTime(search)).toMatchObject({ code: 0 });
    expect(await readFile(found, 'utf8')).toContain('"1/2+1/3"');

    const one = { id: 'q', operation: 'similarQuestions', text: '1/2+1/3', relevant: [{ cardId: 'a', grade: 1 }] };
    expect(await run('golden', 'import', await folder.write('set.jsonl', JSON.stringify(one)))).toBe('set: 1 cases\n');
    expect(await run('golden', 'list')).toContain('set: 1 cases, 1 of them judged');
    expect(await run('golden', 'export', 'set')).toContain('"id":"q"');

    const profile = { name: 'mine', description: null, settings: BUILTIN_SETTINGS };
    await run('profiles', 'save', await folder.write('mine.json', JSON.stringify(profile)));
    expect(await run('profiles', 'list')).toContain('mine\n');
    expect(await run('evaluate', 'set', '--profile', 'mine')).toContain('plain BM25');
    await run('golden', 'delete', 'set');
  });
});

describe('a gateway with an unknown SEARCH_PROFILE', () => {
  test('does not start, and lists the existing ones', async () => {
    const refused = await spawnGateway({ database, env: { SEARCH_PROFILE: 'mime' } });
    try {
      expect(await refused.exited).toEqual({ code: 78, signal: null });
      expect(refused.output()).toMatch(
        /^errata: the settings are not usable: SEARCH_PROFILE: [^\n]*"mime"[^\n]*"default", "plain-vectors"[^\n]*$/m,
      );
    } finally {
      await refused.close();
    }
  });
});
