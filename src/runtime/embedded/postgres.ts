import { readFile, readlink, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { delay } from '../../domain/async.js';
import { asError, StartupError } from '../../domain/errors.js';
import { usingFolder } from './folder.js';
import { type Kept, keep } from './kept.js';
import type { EmbeddedOptions } from './options.js';
import { freePort, isFree, LOOPBACK } from './port.js';
import { type Cluster, DATABASE_USER, existingCluster, openCluster } from './postgres-cluster.js';
import { endLeftover, identify, readIdentity, type StopStep } from './process.js';
import { type Running, type Supervised, supervise } from './supervise.js';

/** SIGINT is PostgreSQL's fast shutdown (ends sessions, writes a checkpoint), SIGQUIT the immediate one (recovers at the next start). */
const CLOSE: readonly StopStep[] = [
  { signal: 'SIGINT', waitMs: 5_000 },
  { signal: 'SIGQUIT', waitMs: 1_000 },
  { signal: 'SIGKILL', waitMs: 1_000 },
];

/** Without a gateway it has to be gone within 2 s. */
const ORPHANED: readonly StopStep[] = [
  { signal: 'SIGINT', waitMs: 1_000 },
  { signal: 'SIGQUIT', waitMs: 500 },
  { signal: 'SIGKILL', waitMs: 200 },
];

/** How long an earlier gateway's PostgreSQL may take to end by itself. */
const LEFTOVER_GRACE_MS = 2_500;

/** Recovery after a crash replays at most `max_wal_size`: seconds. Past this it is stuck. */
const READY_DEADLINE_MS = 60_000;

/** How often another port is tried where somebody takes ours between finding it free and using it. */
const PORT_ATTEMPTS = 5;

/**
 * For one gateway's few connections on a laptop. Durability is PostgreSQL's own (fsync on); io_method sync saves three
 * processes that only large scans need.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: LOOPBACK,
  unix_socket_directories: '',
  max_connections: '50',
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  io_method: 'sync',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/** A PostgreSQL server that the gateway started and keeps up. */
export interface EmbeddedPostgres extends Pick<Supervised, 'state' | 'pid' | 'onRestart' | 'close'> {
  /** Stays the same across restarts; holds the password: never log it. */
  readonly url: string;
}

/**
 * Starts a real PostgreSQL on loopback, makes its database at the first start, and keeps it up until `close`. It is ready
 * when a login with the password succeeds, which only our server lets through and only ours can answer (SCRAM proves
 * both sides). StartupError where it cannot be started.
 */
export async function startPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, signal } = options;
  const record = join(dataDir, 'running.json');
  const cluster = await usingFolder(dataDir, async () => {
    await endLeftover(record, LEFTOVER_GRACE_MS, CLOSE);
    return openCluster({ dataDir, record, orphaned: ORPHANED, log, signal });
  });
  /** Chosen by the first start that succeeds, and kept: the gateway's connection pool knows one address. */
  const chosen: { url: string; port: number | null } = { url: '', port: null };

  const launch = async (starting: AbortSignal): Promise<Running> => {
    // Where its keeper was killed, the server still runs and nobody is about to stop it.
    await endLeftover(record, 0, CLOSE);
    await discardReusedPid(cluster.folder);
    for (let attempt = 1; ; attempt += 1) {
      const port = chosen.port ?? (await freePort());
      const server = await keep(serverCommand(cluster, port), (line) => log.debug({ part: 'postgres' }, line));
      try {
        const url = urlOf(cluster, port);
        await ready(server, url, starting);
        Object.assign(chosen, { url, port });
        return { pid: server.pid, ended: server.ended.then(({ how }) => how), stop: () => server.stop(CLOSE) };
      } catch (thrown) {
        await server.stop(CLOSE);
        starting.throwIfAborted();
        if (chosen.port === null && attempt < PORT_ATTEMPTS && !(await isFree(port))) continue;
        throw new StartupError(`PostgreSQL did not start: ${asError(thrown).message}`, 69, { cause: thrown });
      }
    }
  };

  const supervised = await supervise({ name: 'postgres', launch, log, signal });
  return {
    url: chosen.url,
    get state() {
      return supervised.state;
    },
    get pid() {
      return supervised.pid;
    },
    onRestart: (listener) => supervised.onRestart(listener),
    close: () => supervised.close(),
  };
}

/**
 * The address of the server that a gateway keeps running in this data directory, for a command beside it; null where none
 * runs. `dataDir` as for {@link startPostgres}.
 */
export async function runningPostgres(dataDir: string): Promise<string | null> {
  if ((await readIdentity(join(dataDir, 'running.json'))) === null) return null;
  const { folder, password } = await existingCluster(dataDir);
  // The fourth line is the port.
  const port = Number((await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n')[3]);
  return urlOf({ password }, port);
}

function serverCommand(cluster: Cluster, port: number) {
  return cluster.command('postgres', (folder) => [
    ...['-D', folder, '-c', `port=${port}`],
    ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
}

function urlOf(cluster: Pick<Cluster, 'password'>, port: number): string {
  return `postgresql://${DATABASE_USER}:${cluster.password}@${LOOPBACK}:${port}/postgres`;
}

/** Resolves after the first login; rejects where the server ends before, or the signal aborts. */
async function ready(server: Kept, url: string, signal: AbortSignal): Promise<void> {
  let ended: string | null = null;
  void server.ended.then(({ how }) => {
    ended = how;
  });
  let refusal = 'no login was tried';
  for (const end = performance.now() + READY_DEADLINE_MS; performance.now() < end; await delay(25, signal)) {
    signal.throwIfAborted();
    if (ended !== null) throw new Error(`${ended}\n${server.tail()}`);
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    // A connection that breaks after the login would otherwise be an uncaught error.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return;
    } catch (thrown) {
      refusal = asError(thrown).message;
    } finally {
      await client.end();
    }
  }
  throw new Error(`no login within ${READY_DEADLINE_MS} ms: ${refusal}\n${server.tail()}`);
}

/**
 * After a kill, postmaster.pid stays behind, and PostgreSQL takes any process of the same user with that pid for a server
 * on this cluster. Where it certainly is another program, the pid in the file is replaced by one that nobody has; the
 * rest of the file stays, because PostgreSQL finds sessions that outlived their server by it.
 */
async function discardReusedPid(folder: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const file = join(folder, 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return null;
    throw thrown;
  });
  const pid = Number(text?.split('\n')[0]);
  if (text === null || !(pid > 0) || (await identify(pid)) === null) return;
  const workingFolder = await readlink(`/proc/${pid}/cwd`).catch((thrown: NodeJS.ErrnoException) => {
    // EACCES: another user's process, so not our server; the others: it ended just now.
    if (thrown.code === 'EACCES' || thrown.code === 'ENOENT' || thrown.code === 'ESRCH') return null;
    throw thrown;
  });
  if (workingFolder === (await realpath(folder))) return;
  await writeFile(file, [await unusedPid(), ...text.split('\n').slice(1)].join('\n'));
}

async function unusedPid(): Promise<number> {
  for (let pid = 4_194_303; pid > 1; pid -= 1) if ((await identify(pid)) === null) return pid;
  throw new Error('every process id is taken');
}
