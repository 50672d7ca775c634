import { randomBytes } from 'node:crypto';
import { access, chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../../domain/errors.js';
import type { KeeperSpec } from './keeper.js';
import { type Kept, keep } from './kept.js';
import type { Log } from './options.js';
import { binariesForEveryone, installedBinaries } from './postgres-binaries.js';
import type { StopStep } from './process.js';

/** The major version, whose files no other one can open; each has a folder of its own. */
const MAJOR = '18';

/** Clusters that are not complete yet; a name of their own each, so that a start after a kill never meets the old one. */
const UNFINISHED = 'new-';

/** The user `nobody`, where root starts a cluster: PostgreSQL refuses to run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** A half-made cluster is thrown away whole: there is nothing to save. */
const AT_ONCE: readonly StopStep[] = [{ signal: 'SIGKILL', waitMs: 1_000 }];

/** The role that owns the database; it is the cluster's superuser, so that migrations may do what they need. */
export const DATABASE_USER = 'errata';

/** A PostgreSQL cluster on disk that is complete, and how its programs are run. */
export interface Cluster {
  readonly folder: string;
  readonly password: string;
  /** Keeper command of one of PostgreSQL's programs; `args` is given the cluster's folder as that program sees it. */
  readonly command: (program: string, args: (cluster: string) => readonly string[]) => KeeperSpec;
}

/** Where a cluster is, and what goes with opening it. */
export interface ClusterPlace {
  /** The folder that holds the clusters of all versions. */
  readonly dataDir: string;
  /** Where the running program is written down. */
  readonly record: string;
  /** How PostgreSQL is stopped when the gateway is gone. */
  readonly orphaned: readonly StopStep[];
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * The cluster of this data directory; made first where there is none, beside its place and then renamed, so that it is
 * either complete or not there. UTF-8, ordered by code point on every platform. StartupError (78), and nothing is made, where
 * there is one of another major version alone: an empty one in its place would look as if every card were lost.
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
  if (!(await exists(home))) {
    await refuseOtherMajor(dataDir);
    await create(place, binaries, home, root);
  }
  return describe(place, binaries, home, root ? await ownerOf(home) : null);
}

/** Where the cluster of this data directory is and how it is entered, for a program beside the one that runs it. */
export async function existingCluster(dataDir: string): Promise<Pick<Cluster, 'folder' | 'password'>> {
  const home = join(dataDir, MAJOR);
  return { folder: join(home, 'cluster'), password: await readFile(join(home, 'password'), 'utf8') };
}

async function refuseOtherMajor(dataDir: string): Promise<void> {
  const other = (await readdir(dataDir)).find((name) => /^\d+$/.test(name));
  if (other === undefined) return;
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
  const initdb = await keep({ ...spec, handedOver, orphaned: AT_ONCE }, (line) =>
    place.log.debug({ part: 'initdb' }, line),
  );
  await finish(initdb, place.signal);
  await rename(unfinished, home);
}

async function finish(initdb: Kept, signal: AbortSignal): Promise<void> {
  const stop = (): void => void initdb.stop(AT_ONCE);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const { well, how } = await initdb.ended;
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  if (!well) {
    throw new StartupError(`the PostgreSQL cluster could not be created: ${how}\n${initdb.tail()}`, 73);
  }
}

/**
 * A cluster that is complete. Under root its programs run as its owner and get its folder as an open file (3), so that
 * it may lie below a folder that is closed to that user, such as root's home.
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

/** Whoever made the cluster: an ordinary user's is not taken over when root starts the gateway once. */
async function ownerOf(home: string): Promise<{ readonly uid: number; readonly gid: number }> {
  const { uid, gid } = await stat(join(home, 'cluster'));
  return { uid, gid };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
