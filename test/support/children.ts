import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const kills = new Set<() => void>();

/**
 * Sends the signal to the child when this process exits: a test run that is interrupted leaves nothing running. Servers
 * that a killed gateway has started are ended by their watchdogs.
 */
export function endsWithThisProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (kills.size === 0) listen();
  const kill = (): void => void child.kill(signal);
  kills.add(kill);
  child.once('exit', () => kills.delete(kill));
}

function listen(): void {
  process.off('exit', killAll).once('exit', killAll);
  // In a worker: the channel to the runner closes when that has ended; a runner that stops its worker sends SIGTERM.
  if (process.connected) {
    process.off('disconnect', exit).once('disconnect', exit);
    process.off('SIGTERM', exit).once('SIGTERM', exit);
  }
}

function killAll(): void {
  for (const kill of kills) kill();
}

function exit(): void {
  process.exit(1);
}

/** What a program needs of this process's environment: no setting but where the binding is cached. */
const INHERITED = ['PATH', 'HOME', 'SystemRoot', 'TMPDIR', 'TEMP', 'XDG_CACHE_HOME', 'ERRATA_CACHE_DIR'];

/** The environment of a program under test, without the settings of this process. */
export function inheritedEnv(): Record<string, string> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, String(process.env[name])]])),
  );
}

/** How a program ended, and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Of a child whose output and errors are piped. */
export async function outputOf(child: ChildProcess): Promise<Ended> {
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const [code, signal] = await once(child, 'close');
  return { code, signal, out, err };
}
