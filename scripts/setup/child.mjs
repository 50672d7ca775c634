import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
const ownGroup = process.platform !== 'win32';

/** A child was ended because this process was told to stop by `signal`. */
export class StoppedError extends Error {
  /** @param {NodeJS.Signals} signal */
  constructor(signal) {
    super(`stopped by ${signal}`);
    this.signal = signal;
  }
}

/**
 * Runs a program to its end and resolves with its standard output; fails with what it printed. A signal to this process
 * ends the program and its children first, so that nothing of it goes on and what it left can be removed; then it fails
 * with a StoppedError.
 * @param {string} what what it is for, as the error says it
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export async function runChild(what, command, args, options) {
  /** @type {NodeJS.Signals | undefined} */
  let stoppedBy;
  /** @param {NodeJS.Signals} signal */
  const stop = (signal) => {
    stoppedBy ??= signal;
    try {
      process.kill(ownGroup ? -child.pid : child.pid, 'SIGTERM');
    } catch {
      // It has ended by itself.
    }
  };
  // First: a signal that came between the start of the program and this would leave the program running.
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  // A group of its own: compilers start processes of theirs, which the signal must reach too.
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: ownGroup });
  try {
    const [stdout, stderr, [code, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    if (stoppedBy !== undefined) throw new StoppedError(stoppedBy);
    if (code === 0) return stdout;
    const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
    throw new Error(`${what} ${how}\n${stdout}${stderr}`.trimEnd());
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
}
