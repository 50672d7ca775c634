import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
const ownGroup = process.platform !== 'win32';

/** The child was ended because this process received `signal`. */
export class StoppedError extends Error {
  /** @param {NodeJS.Signals} signal */
  constructor(signal) {
    super(`stopped by ${signal}`);
    this.signal = signal;
  }
}

/**
 * Runs a program; resolves with its standard output, or rejects with all output. A signal to this process first ends
 * the program and its children, so that the caller can remove what they left; then it rejects with a StoppedError.
 * @param {string} what name in the error message
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
      // It has already ended.
    }
  };
  // Before the start: a signal in between would leave the program running.
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  // In its own process group: the signal must also reach the processes that a compiler starts.
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
