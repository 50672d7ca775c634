import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { delay, once } from '../../domain/async.js';
import { StartupError } from '../../domain/errors.js';
import { usingFolder } from './folder.js';
import { identify, isAlive, type ProcessIdentity, parseIdentity } from './process.js';

/** The folder of claims in a data directory. */
const CLAIMS = 'gateway.lock';

/** A claim is created empty and filled at once: an empty one is read again for this long before it counts as left behind. */
const FILLING_MS = 500;

/** A data directory that is ours until it is given free. */
export interface DataLock {
  /** True where whoever had it before was killed. */
  readonly abandoned: boolean;
  /** Gives the directory free. */
  release(): Promise<void>;
}

interface Claim {
  readonly number: number;
  /** Null where its writer is gone. */
  readonly holder: ProcessIdentity | null;
}

/**
 * Takes a data directory for this process alone, and creates it where it is missing. StartupError (75) that names the
 * holder's pid, stopped or not, within a second; StartupError (78) where the directory cannot be written. What a process
 * that is gone has left behind is taken over at once.
 *
 * The lock is a folder of numbered claims. Whoever finds that no claim's holder is alive creates the next number: the
 * file system lets one of several contenders do that. It then looks again, in case somebody began anew at 1 after
 * everything was given free meanwhile: of two who each wrote first and looked afterwards, at least one sees the other.
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
      return { abandoned: others.length > 0, release: once(() => rm(file, { force: true })) };
    }
  });
}

function refuseHeld(dataDir: string, claims: readonly Claim[]): void {
  const held = claims.find((claim) => claim.holder !== null);
  if (held?.holder) throw new StartupError(`${dataDir} is used by the gateway with pid ${held.holder.pid}`, 75);
}

/** False where somebody else was faster. */
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

/** Null where the claim was given free meanwhile. */
async function readClaim(folder: string, number: number): Promise<Claim | null> {
  for (const end = performance.now() + FILLING_MS; ; await delay(20)) {
    const text = await readFile(join(folder, String(number)), 'utf8').catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code === 'ENOENT') return null;
      throw thrown;
    });
    if (text === null) return null;
    const holder = parseIdentity(text);
    if (holder !== null) return { number, holder: (await isAlive(holder)) ? holder : null };
    if (performance.now() >= end) return { number, holder: null };
  }
}
