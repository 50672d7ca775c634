import { operationProblem } from '../resolvers/requests/operation-problem.js';
import { startApp } from './app.js';
import { misspeltIn } from './config/misspelt.js';
import { asError, StartupError, UnavailableError } from './domain/errors.js';
import { EXIT, exitCodeOf } from './domain/exit-codes.js';
import { createLog } from './observability/log.js';
import { limitHeapGrowth } from './runtime/heap-growth.js';
import { loadSettings } from './runtime/load-settings.js';
import { aborted, endBy, StoppedError, stoppable } from './runtime/stopping.js';

/**
 * How long closing may take after DRAIN_SECONDS: a second or two, or as long as a search may when one is under way.
 * Past this something hangs, and a supervisor is better served by an end.
 */
const CLOSE_DEADLINE_MS = 14_000;

/** An error that nothing handled; it is logged where it was caught. */
class UnhandledError extends Error {
  override readonly name = 'UnhandledError';
}

/** Human words go to standard output, the log to standard error. */
function announce(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The process: settings in, one application until it is stopped, exit code. */
async function main(): Promise<void> {
  limitHeapGrowth();
  const [argument] = process.argv.slice(2);
  if (argument !== undefined) {
    throw new StartupError(
      `${argument}: the gateway takes no arguments; settings are environment variables (docs/settings.md)`,
      EXIT.usage,
    );
  }
  const { config, operations } = await loadSettings(process.env, operationProblem);
  const log = createLog(config.logLevel);
  for (const problem of misspeltIn(process.env)) log.warn({ part: 'settings' }, problem);
  await stoppable(
    async ({ signal, stop }) => {
      const broken = (thrown: unknown): void => {
        log.fatal({ err: asError(thrown) }, 'unhandled error');
        stop(new UnhandledError('an unhandled error'));
      };
      process.on('uncaughtException', broken);
      process.on('unhandledRejection', broken);
      const app = await startApp({ config, operations, log, announce, signal });
      await aborted(signal);
      await app.close().catch((error: unknown) => {
        log.error({ err: asError(error) }, 'the shutdown was not clean');
        process.exit(EXIT.software);
      });
      signal.throwIfAborted();
    },
    {
      deadlineMs: config.drainMs + CLOSE_DEADLINE_MS,
      onStop: (reason) => log.info({ why: reason instanceof StoppedError ? reason.by : reason.message }, 'stopping'),
      onForce: (why) => log.fatal({ why }, 'ending at once'),
      endsWithOutput: false,
    },
  );
}

for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
main().catch((thrown: unknown) => {
  const error = asError(thrown);
  if (error instanceof StoppedError) endBy(error.by);
  if (error instanceof UnhandledError) process.exit(EXIT.software);
  if (error instanceof StartupError || error instanceof UnavailableError) {
    process.stderr.write(`errata: ${error.message}\n`);
    process.exitCode = error instanceof StartupError ? error.exitCode : exitCodeOf(error.code);
    return;
  }
  process.stderr.write(`errata: it could not start: ${error.stack}\n`);
  process.exitCode = EXIT.software;
});
