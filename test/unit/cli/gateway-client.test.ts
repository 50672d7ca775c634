import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GatewayClient } from '../../../src/cli/gateway-client.js';
import { importFile } from '../../../src/cli/import-file.js';
import { StartupError } from '../../../src/domain/errors.js';
import { type Folder, makeFolder } from '../../support/files.js';
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
afterEach(() => gateway.close());

const stopped = new Error('stopped');

describe('a command’s connection to its gateway', () => {
  test('reports that no gateway answers if none listens', async () => {
    await gateway.close();
    await expect(client.ask('goldenSets')).rejects.toThrow(StartupError);
    await expect(client.ask('goldenSets')).rejects.toThrow(/no gateway answers at http:/);
  });

  test('names an invalid address', () => {
    expect(() => new GatewayClient('school')).toThrow('--url: "school" is not a URL');
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
    folder = await makeFolder();
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

  test('names an unreadable file', async () => {
    const file = `${folder.path}/gone.csv`;
    const imported = importFile(client, sent(file), new AbortController().signal);
    await expect(imported).rejects.toMatchObject({ exitCode: 66, message: expect.stringContaining(file) });
  });
});
