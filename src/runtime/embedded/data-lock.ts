import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DATA_DIR_NAMES } from '../../config/settings.js';
import { type Closers, delay, once } from '../../domain/async.js';
import { nullIf, StartupError } from '../../domain/errors.js';
import { makePrivate, usingFolder } from './folder.js';
import { identify, isAlive, type ProcessIdentity, parseIdentity } from './process.js';

const CLAIMS = 'gateway.lock';

/** A claim file is created empty, then written: an empty one counts as abandoned only after this time. */
const FILLING_MS = 500;

/** A locked data directory. */
export interface DataLock {
  /** This process, in no other run and on no other machine again. */
  readonly holder: string;
  /** True if the previous holder was killed. */
  readonly abandoned: boolean;
  /** The previous holders that were killed, as far as their claims can be read. */
  readonly killed: readonly string[];
  release(): Promise<void>;
}

interface Claim {
  readonly number: number;
  /** Null if the claim was not written completely. */
  readonly holder: ProcessIdentity | null;
  /** False if the process that wrote it has ended. */
  readonly isHeld: boolean;
}

/**
 * Locks a data directory for this process, and creates it if it does not exist. StartupError (75) with the pid of a
 * running holder, within a second, even if that process is suspended; StartupError (78) if the directory is not
 * writable. Locks of ended processes are taken over.
 *
 * The lock is a folder of numbered claim files. A process that finds no claim with a living holder creates the next
 * number, exclusively, so only one of several contenders succeeds. It then reads the claims again: all claims may have
 * been released in between, and another process may have started at 1. Both write before they read, so at least one
 * sees the other.
 */
export async function lockDataDir(dataDir: string): Promise<DataLock> {
  const self = await identify(process.pid);
  if (self === null) throw new Error('this process is not in the process list');
  return usingFolder(dataDir, async () => {
    const folder = join(dataDir, CLAIMS);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    while (true) {
      const claims = await readClaims(folder);
      refuseHeld(dataDir, claims);
      const number = Math.max(0, ...claims.map((claim) => claim.number)) + 1;
      const file = join(folder, String(number));
      if (!(await createClaim(file, self))) continue;
      const others = (await readClaims(folder)).filter((claim) => claim.number !== number);
      try {
        refuseHeld(dataDir, others);
      } catch (refusal) {
        await rm(file, { force: true });
        throw refusal;
      }
      for (const other of others) await rm(join(folder, String(other.number)), { force: true });
      return {
        holder: nameOf(self),
        abandoned: others.length > 0,
        killed: others.flatMap(({ holder }) => (holder === null ? [] : [nameOf(holder)])),
        release: once(() => rm(file, { force: true })),
      };
    }
  });
}

function refuseHeld(dataDir: string, claims: readonly Claim[]): void {
  const held = claims.find(({ isHeld }) => isHeld);
  if (held?.holder) throw new StartupError(`${dataDir} is used by the gateway with pid ${held.holder.pid}`, 75);
}

/** False if another process created it first. */
async function createClaim(file: string, self: ProcessIdentity): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(self), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw thrown;
  }
}

async function readClaims(folder: string): Promise<readonly Claim[]> {
  const numbers = (await readdir(folder)).filter((name) => /^\d+$/.test(name)).map(Number);
  const claims = await Promise.all(numbers.map((number) => readClaim(folder, number)));
  return claims.filter((claim) => claim !== null);
}

/** Null if the claim has been released in the meantime. */
async function readClaim(folder: string, number: number): Promise<Claim | null> {
  for (const end = performance.now() + FILLING_MS; ; await delay(20)) {
    const text = await readFile(join(folder, String(number)), 'utf8').catch(nullIf('ENOENT'));
    if (text === null) return null;
    const holder = parseIdentity(text);
    if (holder !== null) return { number, holder, isHeld: await isAlive(holder) };
    if (performance.now() >= end) return { number, holder: null, isHeld: false };
  }
}

function nameOf({ pid, startedAt }: ProcessIdentity): string {
  return `${pid}@${startedAt}`;
}

/** Locks the data directory and makes it private. */
export async function openDataDir(dataDir: string, closers: Closers): Promise<DataLock> {
  const lock = await lockDataDir(dataDir);
  closers.add('data directory', () => lock.release());
  await usingFolder(dataDir, () => makePrivate(dataDir, DATA_DIR_NAMES));
  return lock;
}
