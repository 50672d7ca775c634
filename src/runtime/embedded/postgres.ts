import { readFile, readlink, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { asError, nullIf, StartupError } from '../../domain/errors.js';
import { usingFolder } from './folder.js';
import { LOOPBACK, onPort } from './port.js';
import { type Cluster, DATABASE_USER, existingCluster, openCluster } from './postgres-cluster.js';
import { endLeftover, identify, readIdentity, type StopStep } from './process.js';
import { type EmbeddedOptions, type Running, type Supervised, supervise, untilReady } from './supervise.js';
import { runWatched } from './watched-process.js';

/**
 * SIGINT is PostgreSQL's fast shutdown (ends sessions, writes a checkpoint), SIGQUIT the immediate one (recovers at the
 * next start).
 */
const CLOSE: readonly StopStep[] = [
  { signal: 'SIGINT', waitMs: 5_000 },
  { signal: 'SIGQUIT', waitMs: 1_000 },
  { signal: 'SIGKILL', waitMs: 1_000 },
];

/** After the gateway has ended, PostgreSQL must end within 2 s. */
const ORPHANED: readonly StopStep[] = [
  { signal: 'SIGINT', waitMs: 1_000 },
  { signal: 'SIGQUIT', waitMs: 500 },
  { signal: 'SIGKILL', waitMs: 200 },
];

const LEFTOVER_GRACE_MS = 2_500;

/** Enough for one gateway and the commands beside it. */
const MAX_CONNECTIONS = 50;

/** Sized for one gateway on a laptop. fsync stays on. `io_method=sync` saves processes that only large scans need. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: LOOPBACK,
  unix_socket_directories: '',
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  io_method: 'sync',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

export interface PostgresOptions extends EmbeddedOptions {
  /** 50 by default. */
  readonly maxConnections?: number;
}

export interface EmbeddedPostgres extends Supervised {
  /** The same after restarts. Contains the password: never log it. */
  readonly url: string;
}

/**
 * Starts PostgreSQL on loopback, with a new database at the first start, and restarts it until `close`. It is ready
 * after a login with the password, in which SCRAM authenticates the server too. StartupError if it cannot be started.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, signal, maxConnections = MAX_CONNECTIONS } = options;
  const record = join(dataDir, 'running.json');
  const cluster = await usingFolder(dataDir, async () => {
    await endLeftover(record, LEFTOVER_GRACE_MS, CLOSE);
    return openCluster({ dataDir, record, orphaned: ORPHANED, log, signal });
  });
  // Set by the first start and then kept: the gateway's connection pool has one address.
  const chosen: { url: string; port: number | null } = { url: '', port: null };

  const launch = async (starting: AbortSignal): Promise<Running> => {
    // If only its watchdog was killed, the server still runs.
    await endLeftover(record, 0, CLOSE);
    await discardReusedPid(cluster.folder);
    return onPort(chosen.port, async (port) => {
      const server = await runWatched(serverCommand(cluster, port, maxConnections), (line) =>
        log.debug({ part: 'postgres' }, line),
      );
      const ended = server.ended.then(({ how }) => how);
      try {
        const url = urlOf(cluster, port);
        await untilReady({ ended, tail: server.tail }, () => loginProblem(url), starting);
        Object.assign(chosen, { url, port });
        return { pid: server.pid, ended, stop: () => server.stop(CLOSE) };
      } catch (thrown) {
        await server.stop(CLOSE);
        starting.throwIfAborted();
        throw new StartupError(`PostgreSQL did not start: ${asError(thrown).message}`, 69, { cause: thrown });
      }
    });
  };

  const supervised = await supervise({ name: 'postgres', launch, log, signal });
  return Object.assign(supervised, { url: chosen.url });
}

/**
 * The URL of the server that another process's gateway runs in this data directory, once it accepts logins; null if
 * none runs. Rejects if it does not within a minute. Options as for {@link startPostgres}.
 */
export async function runningPostgres({ dataDir, signal }: Omit<EmbeddedOptions, 'log'>): Promise<string | null> {
  let url: string | null = null;
  const problem = async (): Promise<string | null> => {
    url = null;
    const identity = await usingFolder(dataDir, () => readIdentity(join(dataDir, 'running.json')));
    if (identity === null) return null;
    url = await recordedUrl(dataDir);
    return url === null ? 'it has no port yet' : loginProblem(url);
  };
  try {
    await untilReady({ ended: new Promise(() => undefined), tail: () => '' }, problem, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof StartupError) throw thrown;
    const message = `the PostgreSQL server of the running gateway does not answer: ${asError(thrown).message}`;
    throw new StartupError(message.trim(), 69, { cause: thrown });
  }
  return url;
}

/** The address that the last server in this data directory has recorded; null if it has not yet. */
async function recordedUrl(dataDir: string): Promise<string | null> {
  const { folder, password } = existingCluster(dataDir);
  const read = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(nullIf('ENOENT'));
  // The fourth line is the port.
  const port = Number((await read(join(folder, 'postmaster.pid')))?.split('\n')[3]);
  return port > 0 ? urlOf({ password: await readFile(password, 'utf8') }, port) : null;
}

function serverCommand(cluster: Cluster, port: number, maxConnections: number) {
  return cluster.command('postgres', (folder) => [
    ...['-D', folder, '-c', `port=${port}`, '-c', `max_connections=${maxConnections}`],
    ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
}

function urlOf(cluster: Pick<Cluster, 'password'>, port: number): string {
  return `postgresql://${DATABASE_USER}:${cluster.password}@${LOOPBACK}:${port}/postgres`;
}

/** Why a login fails; null if it succeeds. */
async function loginProblem(url: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // Without a listener, a connection that breaks after the login would be an uncaught error.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return null;
  } catch (thrown) {
    return asError(thrown).message;
  } finally {
    await client.end();
  }
}

/**
 * After a kill, postmaster.pid is left behind, and PostgreSQL takes any process of the same user with that pid for a
 * server on this cluster. If it certainly is another program, the pid in the file is replaced by an unused one. The
 * rest of the file is kept, because PostgreSQL uses it to find sessions that outlived their server.
 */
async function discardReusedPid(folder: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const file = join(folder, 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch(nullIf('ENOENT'));
  const pid = Number(text?.split('\n')[0]);
  if (text === null || !(pid > 0) || (await identify(pid)) === null) return;
  // EACCES: another user's process, so not our server. The others: it has just ended.
  const workingFolder = await readlink(`/proc/${pid}/cwd`).catch(nullIf('EACCES', 'ENOENT', 'ESRCH'));
  if (workingFolder === (await realpath(folder))) return;
  await writeFile(file, [await unusedPid(), ...text.split('\n').slice(1)].join('\n'));
}

async function unusedPid(): Promise<number> {
  for (let pid = 4_194_303; pid > 1; pid -= 1) if ((await identify(pid)) === null) return pid;
  throw new Error('no process id is free');
}
