import { lstat, mkdir, readdir, readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DATA_DIR_NAMES } from '../../config/settings.js';
import { type Closers, delay, once } from '../../domain/async.js';
import { asError, nullIf, StartupError } from '../../domain/errors.js';
import type { Log } from '../../domain/ports/log.js';
import { createPrivately, makePrivate, refuseUnusable, usingFolder } from './folder.js';
import { identify, isAlive, type ProcessIdentity, parseIdentity } from './process.js';

const CLAIMS = 'gateway.lock';

/** A claim file is created empty, then written: an empty one counts as abandoned only after this time. */
const FILLING_MS = 500;

/** How often a holder touches its claim, for contenders that cannot see its process: in other containers. */
const TOUCH_MS = 1_000;
/** A claim that was not touched for so long belongs to nobody. */
const WATCH_MS = 5_000;

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
  /** True if that process is in another container or on another machine. */
  readonly isElsewhere: boolean;
}

/**
 * Locks a data directory for this process, and creates it if it does not exist. What the process creates from then on
 * is private. StartupError (75) with the pid of a running holder, within a second, even if that process is suspended;
 * StartupError (78) if the directory is not writable. Locks of ended processes are taken over.
 *
 * A process in another container, or on another machine, is not in the process list. It runs if its claim is touched
 * within {@link WATCH_MS}, for which a start then waits; one that is suspended there is taken for ended.
 *
 * The lock is a folder of numbered claim files. A process that finds no claim with a living holder creates the next
 * number, exclusively, so only one of several contenders succeeds. It then reads the claims again: all claims may have
 * been released in between, and another process may have started at 1. Both write before they read, so at least one
 * sees the other.
 *
 * `onTouchFailed` is called for the first of several failures in a row.
 */
export async function lockDataDir(dataDir: string, onTouchFailed: (failure: Error) => void = raise): Promise<DataLock> {
  const self = await identify(process.pid);
  if (self === null) throw new Error('this process is not in the process list');
  const claim = { ...self, processList: await processList() };
  createPrivately();
  return usingFolder(dataDir, async () => {
    await refuseUnusable(dataDir);
    const folder = join(dataDir, CLAIMS);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    /** Of processes that have ended. */
    const ended = new Set<string>();
    while (true) {
      const claims = await readClaims(folder, claim.processList, ended);
      refuseHeld(dataDir, claims);
      const number = Math.max(0, ...claims.map((claim) => claim.number)) + 1;
      const file = join(folder, String(number));
      if (!(await createClaim(file, claim))) continue;
      let isReleased = false;
      let isFailing = false;
      const touching = setInterval(async () => {
        const now = new Date();
        const failure = await utimes(file, now, now).then(() => null, asError);
        if (failure !== null && !isFailing && !isReleased) onTouchFailed(failure);
        isFailing = failure !== null;
      }, TOUCH_MS).unref();
      const release = once(async () => {
        isReleased = true;
        clearInterval(touching);
        await rm(file, { force: true });
      });
      const others = (await readClaims(folder, claim.processList, ended)).filter((other) => other.number !== number);
      try {
        refuseHeld(dataDir, others);
      } catch (refusal) {
        await release();
        throw refusal;
      }
      for (const other of others) await rm(join(folder, String(other.number)), { force: true });
      return {
        holder: nameOf(self),
        abandoned: others.length > 0,
        killed: others.flatMap(({ holder }) => (holder === null ? [] : [nameOf(holder)])),
        release,
      };
    }
  });
}

/** True for a data directory of this user whose processes were killed; false for any other folder. */
export async function isAbandoned(dataDir: string): Promise<boolean> {
  const found = await lstat(dataDir).catch(nullIf('ENOENT'));
  if (!found?.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid)) return false;
  const claims = await readClaims(join(dataDir, CLAIMS), await processList(), new Set()).catch(nullIf('ENOENT'));
  return claims !== null && claims.length > 0 && claims.every(({ isHeld }) => !isHeld);
}

function refuseHeld(dataDir: string, claims: readonly Claim[]): void {
  const held = claims.find(({ isHeld }) => isHeld);
  if (!held?.holder) return;
  const where = held.isElsewhere ? ' in another container or on another machine' : '';
  throw new StartupError(`${dataDir} is used by the gateway with pid ${held.holder.pid}${where}`, 75);
}

function raise(failure: Error): never {
  throw failure;
}

/** Names the list of processes that this one sees: another container or another machine has another one. */
async function processList(): Promise<string> {
  if (process.platform !== 'linux') return hostname();
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  return `${boot}:${await readlink('/proc/self/ns/pid')}`;
}

/** False if another process created it first. */
async function createClaim(file: string, claim: object): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(claim), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw thrown;
  }
}

/** Adds to `ended` the processes that have ended, which are not watched again. */
async function readClaims(folder: string, ownList: string, ended: Set<string>): Promise<readonly Claim[]> {
  const numbers = (await readdir(folder)).filter((name) => /^\d+$/.test(name)).map(Number);
  const claims = await Promise.all(numbers.map((number) => readClaim(folder, number, ownList, ended)));
  return claims.filter((claim) => claim !== null);
}

/** Null if the claim has been released in the meantime. */
async function readClaim(folder: string, number: number, ownList: string, ended: Set<string>): Promise<Claim | null> {
  const file = join(folder, String(number));
  for (const end = performance.now() + FILLING_MS; ; await delay(20)) {
    const text = await readFile(file, 'utf8').catch(nullIf('ENOENT'));
    if (text === null) return null;
    const holder = parseIdentity(text);
    if (holder !== null) {
      // Claims of versions without the field are judged by their process.
      const { processList: list = ownList } = JSON.parse(text);
      const isElsewhere = list !== ownList;
      const isHeld = !ended.has(nameOf(holder)) && (isElsewhere ? await isTouched(file) : await isAlive(holder));
      if (!isHeld) ended.add(nameOf(holder));
      return { number, holder, isElsewhere, isHeld };
    }
    if (performance.now() >= end) return { number, holder: null, isHeld: false, isElsewhere: false };
  }
}

/** Waits {@link WATCH_MS} at most. Compares times of the file with each other, as clocks of machines differ. */
async function isTouched(file: string): Promise<boolean> {
  const touchedAt = async (): Promise<number | undefined> => (await stat(file).catch(nullIf('ENOENT')))?.mtimeMs;
  const first = await touchedAt();
  for (const end = performance.now() + WATCH_MS; performance.now() < end; await delay(TOUCH_MS / 4)) {
    const now = await touchedAt();
    if (now === undefined) return false;
    if (now !== first) return true;
  }
  return false;
}

function nameOf({ pid, startedAt }: ProcessIdentity): string {
  return `${pid}@${startedAt}`;
}

/** Locks the data directory and makes it private. */
export async function openDataDir(dataDir: string, closers: Closers, log: Pick<Log, 'warn'>): Promise<DataLock> {
  const lock = await lockDataDir(dataDir, (err) => log.warn({ err }, 'the lock of the data directory was not touched'));
  closers.add('data directory', () => lock.release());
  await usingFolder(dataDir, () => makePrivate(dataDir, DATA_DIR_NAMES));
  return lock;
}
