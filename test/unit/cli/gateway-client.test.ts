import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { GatewayClient } from '../../../src/cli/gateway-client.js';
import { importFile } from '../../../src/cli/import-file.js';
import { StartupError } from '../../../src/domain/errors.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { type Folder, makeFolder } from '../../support/folder.js';
import { type HttpServer, startHttpServer } from '../../support/http-server.js';

/** A gateway that takes what it is sent and never answers. */
let gateway: HttpServer;
let client: GatewayClient;
let asked: Promise<unknown>;
beforeEach(async () => {
  gateway = await startHttpServer((request) => request.resume());
  asked = once(gateway.server, 'request');
  client = new GatewayClient(gateway.url);
});
afterEach(() => {
  vi.restoreAllMocks();
  return gateway.close();
});

const stopped = new Error('stopped');

describe('a command’s connection to its gateway', () => {
  test('reports that no gateway answers if none listens', async () => {
    await gateway.close();
    await expect(client.ask('goldenSets')).rejects.toThrow(StartupError);
    await expect(client.ask('goldenSets')).rejects.toThrow(/no gateway answers at http:/);
  });

  test.each(['school', 'localhost:4000', 'ftp://school'])('refuses the address %s', (address) => {
    const refused = `--url: "${address}" is not a URL that begins with http:// or https://`;
    expect(() => new GatewayClient(address)).toThrow(new StartupError(refused, EXIT.usage));
  });

  test.each([
    'http://user:secret@school',
    'https://secret@school/errata',
    'http://user:secret@scho ol',
    'HTTP:/u:secret@x',
    'u:secret@school:4000',
  ])('refuses an address with a user name or password, without printing it', (address) => {
    const refused = '--url: the address must have no user name or password: use ERRATA_TOKEN';
    expect(() => new GatewayClient(address)).toThrow(new StartupError(refused, EXIT.usage));
  });

  test.each(['', '/', '/graphql', '/errata', '/errata/', '/errata/graphql', '/errata/graphql/?x=1#y'])(
    'keeps the path of an address that ends in %j',
    async (path) => {
      gateway.server.once('request', (_, response) => response.end('{"data":{}}'));
      await new GatewayClient(gateway.url + path).ask('goldenSets');
      const [{ url }] = (await asked) as [IncomingMessage];
      expect(url).toBe(path.startsWith('/errata') ? '/errata/graphql' : '/graphql');
    },
  );

  test('names the variable of the credential that a gateway asks for', async () => {
    const errors = [{ message: 'send a credential', extensions: { code: 'UNAUTHENTICATED' } }];
    gateway.server.once('request', (_, response) => response.end(JSON.stringify({ errors })));
    await expect(client.ask('goldenSets')).rejects.toMatchObject({
      message: 'send a credential (the command line sends what ERRATA_TOKEN has)',
    });
  });

  test('reports a response that breaks off', async () => {
    gateway.server.on('request', (request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"data":', () => request.socket.destroy());
    });
    await expect(client.ask('goldenSets')).rejects.toMatchObject({
      message: 'the gateway closed the connection before its answer was complete',
      exitCode: EXIT.unavailable,
    });
  });

  test('follows no redirection, and reports that the server is no gateway', async () => {
    const urls: (string | undefined)[] = [];
    gateway.server.on('request', ({ url }, response) => {
      urls.push(url);
      response.writeHead(302, { location: '/login' }).end('<a href="/login">Log in</a>');
    });
    const refused = { message: `the server at ${gateway.url} is not an Errata gateway`, exitCode: EXIT.unavailable };
    await expect(client.ask('goldenSets')).rejects.toMatchObject(refused);
    await expect(client.post('export', {})).rejects.toMatchObject(refused);
    expect(urls).toEqual(['/graphql', '/export']);
  });

  test('reports a server that does not speak TLS', async () => {
    const secure = new GatewayClient(gateway.url.replace('http:', 'https:'));
    await expect(secure.ask('goldenSets')).rejects.toMatchObject({
      message: expect.stringMatching(/^no gateway answers at https:\S+: [\w ]+$/),
      exitCode: EXIT.unavailable,
    });
  });

  test('names the problem of a certificate', async () => {
    const cause = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    vi.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('fetch failed', { cause }));
    await expect(new GatewayClient('https://school').ask('goldenSets')).rejects.toMatchObject({
      message: 'no gateway answers at https://school: self-signed certificate',
      exitCode: EXIT.unavailable,
    });
  });

  test('rejects with the reason of its signal', async () => {
    const stopping = new AbortController();
    const posted = client.post('export', { signal: stopping.signal });
    await asked;
    stopping.abort(stopped);
    await expect(posted).rejects.toBe(stopped);
  });

  test('does not blame the gateway for an unreadable body', async () => {
    const failure = new Error('the disk is damaged');
    const body = new ReadableStream({ pull: (controller) => controller.error(failure) });
    const thrown = await client.post('import', { body, duplex: 'half' }).catch((error: Error) => error);
    expect(thrown).not.toBeInstanceOf(StartupError);
    expect((thrown as Error).cause).toBe(failure);
  });
});

describe('the import of a file', () => {
  let folder: Folder;
  beforeEach(async () => {
    folder = await makeFolder('gateway-client');
  });
  afterEach(() => folder.remove());
  const sent = (file: string) => ({ file, bytes: 3, query: new URLSearchParams() });

  test('can be stopped during the upload without an error', async () => {
    const stopping = new AbortController();
    const imported = importFile(client, sent(await folder.write('a.csv', 'a\n1')), stopping.signal);
    await asked;
    stopping.abort(stopped);
    expect(await imported).toBeNull();
  });

  test('reports a server that answers with a page', async () => {
    gateway.server.on('request', (_, response) => response.end('<html>'));
    const imported = importFile(client, sent(await folder.write('a.csv', 'a\n1')), new AbortController().signal);
    await expect(imported).rejects.toMatchObject({
      message: `the server at ${gateway.url} is not an Errata gateway`,
      exitCode: EXIT.unavailable,
    });
  });

  test('names an unreadable file', async () => {
    const file = `${folder.path}/gone.csv`;
    const imported = importFile(client, sent(file), new AbortController().signal);
    await expect(imported).rejects.toMatchObject({ exitCode: 66, message: expect.stringContaining(file) });
  });
});
