import { readdir, readFile } from 'node:fs/promises';
import { nullIf } from '../src/domain/errors.js';

/** Linux reports processor time in hundredths of a second. */
const TICK_MS = 10;

/**
 * Where the columns of /proc/PID/stat are after the name: its fields 4 and 14 to 17. The last two are of children that
 * have ended: a connection of PostgreSQL is a process, and what it did is not undone when it closes.
 */
const FIELDS = { parent: 1, user: 11, system: 12, endedUser: 13, endedSystem: 14 } as const;

/** Processor time in ms, by part. */
export type Cpu = ReadonlyMap<string, number>;

interface Process {
  readonly name: string;
  readonly parent: number;
  readonly cpuMs: number;
}

/**
 * What this process's children, and theirs, have used so far, by the name of the program; unlike the time on a clock it
 * says what work there was, whoever else keeps the processors busy. Empty on other systems than Linux.
 */
export async function cpuSoFar(): Promise<Cpu> {
  if (process.platform !== 'linux') return new Map();
  const all = new Map<number, Process>();
  for (const entry of await readdir('/proc')) {
    const found = /^\d+$/.test(entry) ? await processOf(Number(entry)) : null;
    if (found !== null) all.set(Number(entry), found);
  }
  const isOurs = (pid: number): boolean => {
    const parent = all.get(pid)?.parent;
    return parent !== undefined && (parent === process.pid || isOurs(parent));
  };
  const sums = new Map<string, number>();
  for (const [pid, { name, cpuMs }] of all) {
    if (isOurs(pid)) sums.set(name, (sums.get(name) ?? 0) + cpuMs);
  }
  return sums;
}

/** What was used between two moments. */
export function cpuBetween(before: Cpu, after: Cpu): Cpu {
  return new Map([...after].map(([name, ms]) => [name, ms - (before.get(name) ?? 0)]));
}

/** Of all parts, in ms. */
export function sumOf(cpu: Cpu): number {
  return [...cpu.values()].reduce((sum, ms) => sum + ms, 0);
}

/** Null if the process has ended. */
async function processOf(pid: number): Promise<Process | null> {
  const read = async (file: string): Promise<string> =>
    (await readFile(`/proc/${pid}/${file}`, 'utf8').catch(nullIf('ENOENT', 'ESRCH'))) ?? '';
  const [stat, command] = [await read('stat'), await read('cmdline')];
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields.length < FIELDS.endedSystem) return null;
  const number = (at: number): number => Number(fields[at]);
  return {
    name: nameOf(command),
    parent: number(FIELDS.parent),
    cpuMs:
      TICK_MS * (number(FIELDS.user) + number(FIELDS.system) + number(FIELDS.endedUser) + number(FIELDS.endedSystem)),
  };
}

/** The part that a command line belongs to. */
function nameOf(command: string): string {
  if (command.includes('gateway.child')) return 'gateway';
  if (command.includes('chroma')) return 'Chroma';
  return command.includes('postgres') ? 'PostgreSQL' : 'others';
}
