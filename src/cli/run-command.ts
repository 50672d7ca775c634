import { asError, BadInputError, ErrataError, StartupError } from '../domain/errors.js';
import { EXIT, exitCodeOf } from '../domain/exit-codes.js';
import { endBy, isClosedPipe, StoppedError } from '../runtime/stopping.js';
import { AnsweredError } from './gateway-client.js';
import { printError } from './terminal.js';

/** How long a command may take to close what it has opened when it is stopped, in ms. */
export const STOP_DEADLINE_MS = 12_000;

/**
 * Runs a command-line program to its end. How it failed becomes one line on standard error and an exit code, or the signal that
 * stopped it. A reader of its output that goes, as `head` does, ends it without a word.
 */
export async function runCommand(main: () => Promise<void>): Promise<void> {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error) => {
    // Work that is under way hears of it too, and closes first what it has opened.
    if (process.stdout.listenerCount('error') === 1) endFor(error);
  });
  try {
    await main();
  } catch (thrown) {
    endFor(thrown);
  }
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
  // Of the command's own parsing: what a file holds.
  if (error instanceof BadInputError) return EXIT.input;
  return error instanceof AnsweredError || error instanceof ErrataError ? exitCodeOf(error.code) : EXIT.software;
}

/** An internal error is told with its stack, anything else in one line. */
function messageOf(error: Error): string {
  const known = [StartupError, ErrataError, AnsweredError].some((kind) => error instanceof kind);
  return known ? error.message : (error.stack ?? error.message);
}
