import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { databaseAddress } from '../../../prisma/address.js';
import { checkServer } from '../../../prisma/check-server.js';
import { openDatabase } from '../../../prisma/client.js';
import { startupFailure } from '../../../prisma/errors.js';
import { migrate, pendingMigrations } from '../../../prisma/migrate.js';
import { StartupError } from '../../../src/domain/errors.js';
import { testServer } from '../../support/database.js';

describe('a server that cannot be used is reported in one line within 5 seconds, without the password:', () => {
  async function refusal(change: (url: URL) => void): Promise<StartupError> {
    const url = testServer();
    url.password = 'sesame';
    change(url);
    const began = performance.now();
    const refused = await Promise.all(
      [openDatabase(url.href), migrate(url.href)].map((attempt) =>
        attempt.then(
          () => new Error('it was accepted'),
          (thrown: unknown) => thrown,
        ),
      ),
    );
    // The limit of 5 s, and what a busy machine adds.
    expect(performance.now() - began).toBeLessThan(10_000);
    const [error, again] = refused as [StartupError, StartupError];
    expect(error).toBeInstanceOf(StartupError);
    expect(error.exitCode).toBe(69);
    expect(error.message).not.toMatch(/sesame|\n/);
    expect(again.message).toBe(error.message);
    return error;
  }

  /** A server that passes its connections to `answer`. */
  async function listen(answer: (socket: Socket) => void): Promise<{ server: Server; port: string }> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, port: String((server.address() as AddressInfo).port) };
  }

  test('no server listens', async () => {
    const { server, port } = await listen(() => undefined);
    server.close();
    await once(server, 'close');
    const at = new RegExp(`^PostgreSQL at 127.0.0.1:${port}/.* cannot be used: the server cannot be reached$`);
    const error = await refusal((url) => {
      url.hostname = '127.0.0.1';
      url.port = port;
    });
    expect(error.message).toMatch(at);
  });

  test('the name is unknown', async () => {
    const error = await refusal((url) => {
      url.hostname = 'no-such-host.invalid';
    });
    expect(error.message).toMatch(/no-such-host\.invalid:\d+.* cannot be used: the server cannot be reached$/);
  });

  test('the server does not answer', async () => {
    const sockets: Socket[] = [];
    const { server, port } = await listen((socket) => sockets.push(socket.on('error', () => undefined)));
    const error = await refusal((url) => {
      url.hostname = '127.0.0.1';
      url.port = port;
    });
    expect(error.message).toMatch(/does not answer$/);
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  test('the server is not PostgreSQL', async () => {
    const { server, port } = await listen((socket) => {
      socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    });
    await refusal((url) => {
      url.hostname = '127.0.0.1';
      url.port = port;
    });
    server.close();
  });

  test('the database does not exist', async () => {
    const error = await refusal((url) => {
      // Without the right password some servers do not say whether the database exists.
      url.password = testServer().password;
      url.pathname = '/no_such_database';
    });
    expect(error.message).toMatch(/\/no_such_database cannot be used: it has no database of this name$/);
  });

  test('the user is unknown or the password is wrong', async () => {
    const error = await refusal((url) => {
      url.username = 'nobody_here';
    });
    expect(error.message).toMatch(/cannot be used: it refuses (this user|the user name or the password)$/);
  });
});

describe('a pooler', () => {
  async function checked(url: string, connections: 1 | 2): Promise<void> {
    const client = new pg.Client(url);
    const other = new pg.Client(url);
    await Promise.all([client.connect(), other.connect()]);
    try {
      await checkServer([client, connections === 2 ? other : client], databaseAddress(testServer().href));
    } finally {
      await Promise.all([client.end(), other.end()]);
    }
  }

  function withOptions(options: string): string {
    const url = testServer();
    url.searchParams.set('options', options);
    return url.href;
  }

  test('that drops the start-up options of connections is refused', async () => {
    await expect(checked(testServer().href, 2)).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringContaining('start-up options'),
    });
  });

  test('that drops them is accepted if the user has these settings, as PostgreSQL stores them', async () => {
    await checked(withOptions('-c search_path=public -c TimeZone=UTC'), 2);
  });

  test('whose connections share a session is refused', async () => {
    await expect(checked(databaseAddress(testServer().href).connection.connectionString, 1)).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringContaining('pooler in session mode'),
    });
  });

  test('that refuses a start-up parameter is quoted', () => {
    const refusal = Object.assign(new Error('unsupported startup parameter: options'), { code: '08P01' });
    expect(startupFailure('pool:6432/notes', refusal).message).toMatch(/used: unsupported startup parameter: options$/);
  });
});

describe('an address', () => {
  test('names the server and the schema without the password', () => {
    const { where, schema } = databaseAddress(
      'postgresql://me:s%40cret@db.example:6543/notes?schema=app&sslmode=disable',
    );
    expect({ where, schema }).toEqual({ where: 'db.example:6543/notes', schema: 'app' });
    expect(databaseAddress('postgres://db.example/notes')).toMatchObject({
      where: 'db.example:5432/notes',
      schema: 'public',
    });
  });

  test('may have a % in the password that is not percent-encoded', () => {
    const { connectionString } = databaseAddress('postgres://me:100%sure%40@db.example/notes').connection;
    const { connectionParameters } = new pg.Client({ connectionString }) as unknown as {
      connectionParameters: unknown;
    };
    expect(connectionParameters).toMatchObject({
      password: '100%sure@',
      options: expect.stringMatching(/^-c search_path="public" /),
    });
  });

  test('with a file that does not exist is refused with its name', async () => {
    const url = 'postgres://db.example/notes?sslmode=verify-full&sslrootcert=/no-such-ca.pem';
    for (const opening of [openDatabase(url), pendingMigrations(url)]) {
      const problem = /db\.example:5432\/notes cannot be used: ENOENT.*no-such-ca\.pem/;
      await expect(opening).rejects.toMatchObject({ message: expect.stringMatching(problem), exitCode: 69 });
    }
  });

  test.each(['prefer', 'require', 'verify-ca'])('with sslmode=%s is one with verify-full', (mode) => {
    const modeOf = (query: string) =>
      new URL(databaseAddress(`postgres://db.example/notes?${query}`).connection.connectionString).searchParams.get(
        'sslmode',
      );
    expect(modeOf(`sslmode=${mode}`)).toBe('verify-full');
    expect(modeOf(`sslmode=${mode}&uselibpqcompat=true`)).toBe(mode);
  });

  test('with a schema that Prisma cannot name is a configuration error', () => {
    expect(() => databaseAddress('postgres://db.example/notes?schema=a%22b')).toThrow(StartupError);
  });

  test.each([
    ['postgres://me:caf%E9@db.example/notes', 'a percent-encoded character is not UTF-8: write é as %C3%A9, % as %25'],
    ['postgres://db.example/notes%ff', 'a percent-encoded character is not UTF-8: write é as %C3%A9, % as %25'],
    ['postgres://db.example/notes?sslMode=require', 'the parameter sslMode has no effect: is sslmode meant?'],
    ['postgres://db.example/notes?ssl-root-cert=a', 'the parameter ssl-root-cert has no effect: is sslrootcert meant?'],
    ['postgres://db.example/notes?Schema=app', 'the parameter Schema has no effect: is schema meant?'],
    ...['false', 'require'].map((value) => [
      `postgres://db.example/notes?ssl=${value}`,
      'use sslmode=verify-full, no-verify or disable instead of this value of ssl',
    ]),
  ])('that pg cannot read as it is meant, %s, is a configuration error', (url, problem) => {
    expect(() => databaseAddress(url)).toThrow(new StartupError(`DATABASE_URL: ${problem}`, 78));
  });

  test('may have parameters of other programs', () => {
    const url = 'postgres://db.example/notes?pgbouncer=true&connection_limit=1&channel_binding=require&ssl=true';
    expect(databaseAddress(url).where).toBe('db.example:5432/notes');
  });

  test('that is not a URL is a configuration error', () => {
    expect(() => databaseAddress('host=localhost')).toThrow(new StartupError('DATABASE_URL is not a URL', 78));
  });
});
