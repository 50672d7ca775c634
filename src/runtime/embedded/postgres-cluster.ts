import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, lchown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullIf, StartupError } from '../../domain/errors.js';
import { binariesForEveryone, installedBinaries } from './postgres-binaries.js';
import type { StopStep } from './process.js';
import type { EmbeddedLog } from './supervise.js';
import type { WatchedCommand } from './watchdog.js';
import { runWatched, type WatchedProcess } from './watched-process.js';

/** The major version: no other one can read its files, so each has its own folder. */
const MAJOR = '18';

/** Name prefix of incomplete clusters; each has a unique name, so that leftovers of a killed gateway are not reused. */
const UNFINISHED = 'new-';

/** The user `nobody`, for a gateway that runs as root: PostgreSQL refuses to run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** An incomplete cluster has no data to save. */
const AT_ONCE: readonly StopStep[] = [{ signal: 'SIGKILL', waitMs: 1_000 }];

/** Owner of the database and superuser of the cluster. */
export const DATABASE_USER = 'errata';

export interface Cluster {
  readonly folder: string;
  readonly password: string;
  /** Command of one of PostgreSQL's programs; `args` receives the cluster's folder as that program sees it. */
  readonly command: (program: string, args: (cluster: string) => readonly string[]) => WatchedCommand;
}

export interface ClusterPlace {
  /** The folder that holds the clusters of all versions. */
  readonly dataDir: string;
  /** File for the pid and start time of the running program. */
  readonly record: string;
  /** How PostgreSQL is stopped after the gateway has ended. */
  readonly orphaned: readonly StopStep[];
  readonly log: EmbeddedLog;
  readonly signal: AbortSignal;
}

/**
 * Opens the cluster of this data directory, or creates it: under a temporary name, then renamed, so that it is complete
 * or absent. UTF-8, ordered by code point on every platform. If there is only a cluster of another major version,
 * StartupError (78) and nothing is created: with an empty cluster all cards would seem lost.
 */
export async function openCluster(place: ClusterPlace): Promise<Cluster> {
  const { dataDir } = place;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(UNFINISHED)) await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 });
  }
  const root = process.getuid?.() === 0;
  if (root && process.platform !== 'linux') {
    throw new StartupError('PostgreSQL does not run as root: start the gateway as an ordinary user', 78);
  }
  const binaries = root ? await binariesForEveryone() : (await installedBinaries()).folder;
  const home = join(dataDir, MAJOR);
  if (!existsSync(home)) {
    await refuseOtherMajor(dataDir);
    await create(place, binaries, home, root);
  }
  return describe(place, binaries, home, root ? await ownerOf(home) : null);
}

/** Where the cluster and its password are once it has been created. */
export function existingCluster(dataDir: string): { readonly folder: string; readonly password: string } {
  const home = join(dataDir, MAJOR);
  return { folder: join(home, 'cluster'), password: join(home, 'password') };
}

/** StartupError (78) if the folder has no cluster of this version of PostgreSQL, but one of another version. */
export async function refuseOtherMajor(dataDir: string): Promise<void> {
  const names = (await readdir(dataDir).catch(nullIf('ENOENT'))) ?? [];
  const other = names.find((name) => /^\d+$/.test(name));
  if (other === undefined || names.includes(MAJOR)) return;
  const problem = `${dataDir} holds a database of PostgreSQL ${other}, which this version of the gateway cannot open`;
  const way = 'start the version that made it and export the cards there, or name another DATA_DIR';
  throw new StartupError(`${problem}: ${way}`, 78);
}

async function create(place: ClusterPlace, binaries: string, home: string, root: boolean): Promise<void> {
  const unfinished = await mkdtemp(join(place.dataDir, UNFINISHED));
  const [folder, passwordFile] = [join(unfinished, 'cluster'), join(unfinished, 'password')];
  await mkdir(folder, { mode: 0o700 });
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  if (root) for (const path of [folder, passwordFile]) await chown(path, NOBODY.uid, NOBODY.gid);

  place.log.info({ part: 'postgres' }, 'creating the PostgreSQL cluster');
  const cluster = await describe(place, binaries, unfinished, root ? NOBODY : null);
  const spec = cluster.command('initdb', (seen) => [
    ...['-D', seen, '-U', DATABASE_USER, '--auth=scram-sha-256', '--encoding=UTF8', '--no-instructions'],
    ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
    `--pwfile=${root ? '/proc/self/fd/4' : passwordFile}`,
  ]);
  const handedOver = root ? [...spec.handedOver, passwordFile] : [];
  const initdb = await runWatched({ ...spec, handedOver, orphaned: AT_ONCE }, (line) =>
    place.log.debug({ part: 'initdb' }, line),
  );
  await finish(initdb, place.signal);
  await rename(unfinished, home);
}

async function finish(initdb: WatchedProcess, signal: AbortSignal): Promise<void> {
  const stop = (): void => void initdb.stop(AT_ONCE);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const { ok, how } = await initdb.ended;
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  if (!ok) {
    throw new StartupError(`the PostgreSQL cluster could not be created: ${how}\n${initdb.tail()}`, 73);
  }
}

/**
 * If the gateway runs as root, PostgreSQL's programs run as the cluster's owner and receive its folder as file
 * descriptor 3, because that user cannot enter private folders above it, such as root's home.
 */
async function describe(
  place: ClusterPlace,
  binaries: string,
  home: string,
  owner: { readonly uid: number; readonly gid: number } | null,
): Promise<Cluster> {
  const folder = join(home, 'cluster');
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return {
    folder,
    password: await readFile(join(home, 'password'), 'utf8'),
    command: (program, args) => ({
      command: join(binaries, 'bin', `${program}${suffix}`),
      args: args(owner === null ? folder : '/proc/self/fd/3'),
      env: { LC_ALL: 'C', TZ: 'UTC' },
      cwd: binaries,
      owner,
      handedOver: owner === null ? [] : [folder],
      record: place.record,
      orphaned: place.orphaned,
    }),
  };
}

/**
 * The owner stays the same if root starts the gateway on an ordinary user's cluster. A cluster that root owns is a copy
 * that root has made, of a backup for example: it is given to `nobody`.
 */
async function ownerOf(home: string): Promise<{ readonly uid: number; readonly gid: number }> {
  const folder = join(home, 'cluster');
  const { uid, gid } = await stat(folder);
  if (uid !== 0) return { uid, gid };
  // The folder last, so that the next start goes on if this one is killed.
  for (const name of [...(await readdir(folder, { recursive: true })), '.'])
    await lchown(join(folder, name), NOBODY.uid, NOBODY.gid);
  return NOBODY;
}
