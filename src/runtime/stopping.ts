import { asError } from '../domain/errors.js';
import { type EndingSignal, EXIT, EXIT_BY_SIGNAL } from '../domain/exit-codes.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/**
 * A terminal sends a signal to npm and to the program, and npm forwards its own: within this time the two count as one.
 */
const SAME_WISH_MS = 1_000;

export class StoppedError extends Error {
  override readonly name = 'StoppedError';

  constructor(
    readonly by: EndingSignal,
    message = 'stopped',
  ) {
    super(message);
  }
}

export interface Stopping {
  /** Aborts with the reason: a StoppedError, or what `stop` was given. */
  readonly signal: AbortSignal;
  /** Stops the work as a signal would. */
  stop(reason: Error): void;
}

export interface StoppingOptions {
  /** How long the work may take to end, in ms; then the process ends as it is. */
  readonly deadlineMs: number;
  readonly onStop?: (reason: Error) => void;
  /** Called before the process is killed: after another signal, or at the deadline. */
  readonly onForce?: (why: string) => void;
  /** False for work that continues when its output pipe closes. */
  readonly endsWithOutput?: boolean;
}

/**
 * Runs work that is stopped in order by a signal, or by a closed pipe of standard output: its AbortSignal aborts, and
 * the error of the work is replaced by the reason. A second signal, except SIGHUP, ends the process immediately.
 */
export async function stoppable<T>(
  work: (stopping: Stopping) => Promise<T>,
  { deadlineMs, onStop, onForce, endsWithOutput = true }: StoppingOptions,
): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  let deadline: NodeJS.Timeout | undefined;
  let stoppedAt = 0;
  const stop = (reason: Error): void => {
    if (signal.aborted) return;
    stoppedAt = performance.now();
    deadline = setTimeout(() => {
      onForce?.(`it has not ended ${deadlineMs / 1_000} s after it was told to`);
      if (reason instanceof StoppedError) endBy(reason.by);
      process.exit(EXIT.software);
    }, deadlineMs).unref();
    onStop?.(reason);
    controller.abort(reason);
  };
  const onSignal = (name: EndingSignal): void => {
    // SIGHUP is no second signal: it follows when the terminal or npm ends by the first one.
    if (!signal.aborted) stop(new StoppedError(name));
    if (name === 'SIGHUP' || performance.now() - stoppedAt < SAME_WISH_MS) return;
    onForce?.(`received ${name} while stopping`);
    endBy(name);
  };
  const onOutputError = (error: Error): void => stop(isClosedPipe(error) ? new StoppedError('SIGPIPE') : error);
  for (const name of STOP_SIGNALS) process.on(name, onSignal);
  if (endsWithOutput) process.stdout.on('error', onOutputError);
  try {
    return await work({ signal, stop });
  } catch (thrown) {
    // Stopped work fails with various errors: of a request, a stream, a start.
    throw signal.aborted && !(thrown instanceof StoppedError) ? signal.reason : thrown;
  } finally {
    clearTimeout(deadline);
    for (const name of STOP_SIGNALS) process.off(name, onSignal);
    process.stdout.off('error', onOutputError);
  }
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Ends the process by the signal itself, so that its parent (a shell, npm, systemd) sees the cause. */
export function endBy(signal: EndingSignal): never {
  process.removeAllListeners(signal);
  // npm would report a death by SIGPIPE as an internal error; use the exit code of shells for it.
  if (signal !== 'SIGPIPE') process.kill(process.pid, signal);
  // PID 1 of a container is not ended by its own signal.
  process.exit(EXIT_BY_SIGNAL[signal]);
}

export function isClosedPipe(error: unknown): boolean {
  return (asError(error) as NodeJS.ErrnoException).code === 'EPIPE';
}
