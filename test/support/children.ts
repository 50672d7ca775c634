import type { ChildProcess } from 'node:child_process';

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
