import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { importCommand } from '../../../src/cli/import.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { ran } from '../../support/command.js';
import { type Folder, makeFolder } from '../../support/folder.js';
import { type HttpServer, startHttpServer } from '../../support/http-server.js';

let folder: Folder;
let gateway: HttpServer | undefined;
beforeEach(async () => {
  folder = await makeFolder('import');
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  await folder.remove();
});

test('a connection that is lost at the second file loses nothing that is known of the first', async () => {
  gateway = await startHttpServer(async (request, response) => {
    request.resume();
    await once(request, 'end');
    if (request.url?.includes('b.csv')) return void request.socket.destroy();
    const error = { message: 'holds no table', extensions: { code: 'BAD_USER_INPUT' } };
    response.writeHead(400).end(JSON.stringify({ errors: [error] }));
  });
  const [a, b] = [await folder.write('a.csv', 'a'), await folder.write('b.csv', 'b')];
  const report = join(folder.path, 'r.csv');
  const { out, thrown } = await ran(importCommand(), a, b, '--report', report, '--url', gateway.url);
  expect(out).toBe(`${a}: refused: holds no table\n`);
  expect(thrown).toMatchObject({ exitCode: EXIT.unavailable });
  expect(await readFile(report, 'utf8')).toContain(`${a},failed,,,,holds no table,`);
});

test('a file that is refused while its import is followed is reported as one that is refused at once', async () => {
  const job = { id: 'j', name: 'a.csv', state: 'RUNNING', read: 0, total: null, finishedAt: null };
  const ended = { ...job, state: 'REFUSED', problem: 'holds no table', finishedAt: new Date().toISOString() };
  gateway = await startHttpServer(async (request, response) => {
    request.resume();
    await once(request, 'end');
    const isUpload = request.url?.startsWith('/import') === true;
    response
      .writeHead(isUpload ? 202 : 200)
      .end(JSON.stringify(isUpload ? { importJob: job } : { data: { importJob: ended } }));
  });
  const a = await folder.write('a.csv', 'a');
  const { out, thrown } = await ran(importCommand(), a, '--no-wait', '--url', gateway.url);
  expect([out, thrown]).toEqual([`${a}: refused: file: holds no table\n`, null]);
});

test('a folder is refused as such, and not as missing', async () => {
  const { thrown } = await ran(importCommand(), folder.path, '--url', 'http://127.0.0.1:1');
  expect(thrown).toMatchObject({ exitCode: EXIT.input, message: expect.stringContaining('is a folder') });
});

test('only a missing file is reported as missing', async () => {
  const imported = async (name: string) =>
    (await ran(importCommand(), join(folder.path, name), '--url', 'http://127.0.0.1:1')).thrown;
  expect(await imported('gone.csv')).toMatchObject({
    exitCode: EXIT.input,
    message: `there is no file ${folder.path}/gone.csv`,
  });
  const long = `${'x'.repeat(300)}.csv`;
  expect(await imported(long)).toMatchObject({
    exitCode: EXIT.input,
    message: expect.stringContaining(`${folder.path}/${long} cannot be read: ENAMETOOLONG`),
  });
});

test('a report that would be neither CSV nor JSON is refused before the file is read', async () => {
  const { thrown } = await ran(importCommand(), await folder.write('a.csv', 'a'), '--report', `${folder.path}/r.xlsx`);
  expect(thrown).toMatchObject({
    exitCode: EXIT.usage,
    message: `--report ${folder.path}/r.xlsx must end in .csv or .json`,
  });
});

test('the help shows no empty default', () => {
  expect(importCommand().helpInformation()).not.toContain('{}');
});

describe('defaults for columns', () => {
  /** The mapping that the gateway gets. */
  const mapping = async (...options: readonly string[]): Promise<unknown> => {
    let url = '';
    gateway = await startHttpServer((request, response) => {
      url = String(request.url);
      request.resume();
      response.writeHead(400).end('{"errors":[{"message":"no","extensions":{"code":"BAD_USER_INPUT"}}]}');
    });
    const file = await folder.write('a.csv', 'a');
    expect(await ran(importCommand(), file, '--no-wait', ...options, '--url', gateway.url)).toMatchObject({
      thrown: null,
    });
    return JSON.parse(new URL(url, gateway.url).searchParams.get('mapping') as string);
  };

  test.each([
    ['difficulty', '3'],
    ['difficulty', 'hard'],
    ['difficulty', '较易'],
    ['topicTags', '分数'],
    ['qualityGrade', 'good'],
    ['notes', 'a=b'],
  ])('are sent as the text of a cell: %s=%s', async (field, text) => {
    expect(await mapping('--default', `${field}=${text}`)).toEqual({ defaults: { [field]: text } });
  });

  test('may be in a file that begins with a byte order mark', async () => {
    const file = await folder.write('mapping.json', '\uFEFF{"columns":{"Aufgabe":"questionText"}}');
    expect(await mapping('--mapping', file)).toEqual({ columns: { Aufgabe: 'questionText' }, defaults: {} });
  });

  test('may be a difficulty that the values of the mapping file have', async () => {
    const written = { values: { difficulty: { leicht: 1 } } };
    const file = await folder.write('mapping.json', JSON.stringify(written));
    const sent = await mapping('--mapping', file, '--default', 'difficulty=leicht');
    expect(sent).toEqual({ ...written, defaults: { difficulty: 'leicht' } });
  });

  test.each(['9', 'x', ''])('name no difficulty by %j', async (text) => {
    const file = await folder.write('a.csv', 'a');
    const { thrown } = await ran(
      importCommand(),
      file,
      '--default',
      `difficulty=${text}`,
      '--url',
      'http://127.0.0.1:1',
    );
    expect(thrown).toMatchObject({
      exitCode: EXIT.usage,
      message: expect.stringContaining(`difficulty=${text}: must be`),
    });
  });

  test.each([['foo=1'], ['=1'], ['__proto__=1']])('name no field by %s', async (text) => {
    const file = await folder.write('a.csv', 'a');
    const { thrown } = await ran(importCommand(), file, '--default', text, '--url', 'http://127.0.0.1:1');
    const message = expect.stringContaining(`--default ${text}: the field must be one of id, subject, `);
    expect(thrown).toMatchObject({ exitCode: EXIT.usage, message });
  });

  test.each([
    ['{"defaults":{"foo":1}}', 'defaults.foo: there is no such field'],
    ['{"colums":{}}', 'colums: there is no such field'],
    ['{"columns":{"A":"foo"}}', 'columns.A: must be one of id, subject, '],
  ])('are refused with the file if that has %s', async (json, problem) => {
    const [file, mapping] = [await folder.write('a.csv', 'a'), await folder.write('mapping.json', json)];
    const { thrown } = await ran(importCommand(), file, '--mapping', mapping, '--url', 'http://127.0.0.1:1');
    const message = expect.stringContaining(`--mapping ${mapping}: ${problem}`);
    expect(thrown).toMatchObject({ exitCode: EXIT.input, message });
  });
});
