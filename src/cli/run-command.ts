import { asError, BadInputError, ErrataError, StartupError } from '../domain/errors.js';
import { EXIT, exitCodeOf } from '../domain/exit-codes.js';
import { endBy, isClosedPipe, StoppedError, stoppable } from '../runtime/stopping.js';
import { AnsweredError } from './gateway-client.js';
import { printError } from './terminal.js';

/** How long a command may take to close what it has opened when it is stopped, in ms. */
export const STOP_DEADLINE_MS = 12_000;

/**
 * Runs a command to its end. An error becomes one line on standard error and an exit code; a signal becomes the exit
 * status. If the reader of its output closes the pipe, as `head` does, it ends silently.
 */
export async function runCommand(main: () => Promise<void>): Promise<void> {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error) => {
    // Running work is aborted too, and closes its resources first.
    if (process.stdout.listenerCount('error') === 1) endFor(error);
  });
  try {
    await main();
  } catch (thrown) {
    endFor(thrown);
  }
}

/** Runs a command's work with a signal that aborts when the command is stopped: see `stoppable`. */
export function untilStopped<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return stoppable(({ signal }) => work(signal), { deadlineMs: STOP_DEADLINE_MS });
}

function endFor(thrown: unknown): void {
  const error = asError(thrown);
  if (isClosedPipe(error)) endBy('SIGPIPE');
  if (error instanceof StoppedError) {
    if (error.by !== 'SIGPIPE') printError(`errata: ${error.message}`);
    endBy(error.by);
  }
  if ('syscall' in error && error.syscall === 'write') {
    printError(`errata: standard output: ${error.message}`);
    process.exit(EXIT.output);
  }
  process.exitCode = exitOf(error);
  printError(`errata: ${messageOf(error)}`);
}

function exitOf(error: Error): number {
  if (error instanceof StartupError) return error.exitCode;
  // Thrown by the command's own parsing of a file.
  if (error instanceof BadInputError) return EXIT.input;
  return error instanceof AnsweredError || error instanceof ErrataError ? exitCodeOf(error.code) : EXIT.software;
}

/** An internal error is printed with its stack, any other in one line. */
function messageOf(error: Error): string {
  const known = [StartupError, ErrataError, AnsweredError].some((kind) => error instanceof kind);
  return known ? error.message : (error.stack ?? error.message);
}
