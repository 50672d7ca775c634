import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readIdentity, signal } from '../../../src/runtime/embedded/process.js';

/** Stops an embedded server and all that it started, and lets them go on when `run` has ended, however it ends. */
export async function stopped(dataDir: string, name: 'chroma' | 'postgres', run: () => Promise<void>): Promise<void> {
  const identity = await readIdentity(join(dataDir, name, 'running.json'));
  if (identity === null) throw new Error(`no ${name} is recorded`);
  const pids = [identity.pid, ...(await descendants(identity.pid))];
  for (const pid of pids) signal(pid, 'SIGSTOP');
  try {
    await run();
  } finally {
    for (const pid of pids) signal(pid, 'SIGCONT');
  }
}

/** The processes that the process started, and those that they started. */
async function descendants(pid: number): Promise<readonly number[]> {
  const parents = new Map<number, number>();
  for (const name of (await readdir('/proc')).filter((one) => /^\d+$/.test(one))) {
    // A process may be gone by now.
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const parent = /^\d+ \(.*\) \S (\d+)/s.exec(stat)?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const below = (of: number): number[] =>
    [...parents].filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}
