import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { importCommand } from '../../../src/cli/import.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { ran } from '../../support/command.js';
import { type Folder, makeFolder } from '../../support/files.js';
import { type HttpServer, startHttpServer } from '../../support/http-server.js';

let folder: Folder;
let gateway: HttpServer | undefined;
beforeEach(async () => {
  folder = await makeFolder();
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
