import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, chown, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { LOOPBACK, onPort } from '../../../src/runtime/embedded/port.js';
import { endsWithThisProcess } from '../../support/children.js';
import { until } from '../../support/until.js';

const run = promisify(execFile);

/** PostgreSQL refuses to run as root; `nobody` has no files of its own here. */
const NOBODY = { uid: 65_534, gid: 65_534 };

const PROGRAMS = ['initdb', 'postgres', 'pg_dump', 'pg_restore'];

/**
 * The folder of the newest installed PostgreSQL that has its server and the programs that make backups; null if
 * there is none. The embedded one has no `pg_dump`.
 */
export async function installedPostgres(): Promise<string | null> {
  const root = '/usr/lib/postgresql';
  const majors = await readdir(root).catch(() => []);
  const named = await run('pg_config', ['--bindir']).then(
    ({ stdout }) => [stdout.trim()],
    () => [],
  );
  const folders = [...majors.sort((a, b) => Number(b) - Number(a)).map((major) => join(root, major, 'bin')), ...named];
  for (const folder of folders) {
    const missing = await Promise.all(PROGRAMS.map((name) => access(join(folder, name)).catch(() => name)));
    if (missing.every((name) => name === undefined)) return folder;
  }
  return null;
}

/** A PostgreSQL that its users run themselves. */
export interface OwnPostgres {
  /** Of its database `errata`, which belongs to the user `errata`; nobody asks for a password. */
  readonly url: string;
  /** Runs statements as the administrator. */
  administer(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** Makes a cluster in the folder and starts it. */
export async function startOwnPostgres(programs: string, folder: string): Promise<OwnPostgres> {
  const data = join(folder, 'data');
  await mkdir(data, { recursive: true });
  const owner = process.getuid?.() === 0 ? NOBODY : {};
  if (process.getuid?.() === 0) {
    await chmod(folder, 0o755);
    await chown(data, NOBODY.uid, NOBODY.gid);
  }
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C' };
  const options = { ...owner, env, cwd: '/' };
  await run(join(programs, 'initdb'), ['-D', data, '-U', 'admin', '--auth=trust', '--encoding=UTF8'], options);
  const administerAt = async (port: number, sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: `postgresql://admin@${LOOPBACK}:${port}/postgres` });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const { server, port } = await onPort(null, async (port) => {
    const settings = { port: `${port}`, listen_addresses: LOOPBACK, unix_socket_directories: '' };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = spawn(join(programs, 'postgres'), ['-D', data, ...args], { ...options, stdio: 'ignore' });
    endsWithThisProcess(server);
    const end = once(server, 'exit').then(([code]) =>
      Promise.reject(new Error(`exit ${code}: is its address in use?`)),
    );
    const answers = (): Promise<true> => administerAt(port, 'SELECT 1').then(() => true);
    await Promise.race([end, until(answers, { deadlineMs: 30_000, what: 'the installed PostgreSQL to answer' })]);
    return { server, port };
  });
  const administer = (sql: string): Promise<void> => administerAt(port, sql);
  await administer('CREATE ROLE errata LOGIN CREATEROLE');
  await administer('CREATE DATABASE errata OWNER errata');
  return { url: `postgresql://errata@${LOOPBACK}:${port}/errata`, administer, close: () => ended(server) };
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  // SIGINT is PostgreSQL's fast shutdown.
  server.kill('SIGINT');
  await once(server, 'exit');
}
