import { type Logger, pino } from 'pino';
import { operationProblem } from '../resolvers/operation-problem.js';
import { type App, startApp } from './app.js';
import { type Config } from './config/settings.js';
import { asError, StartupError } from './domain/errors.js';
import { EXIT, EXIT_BY_SIGNAL } from './domain/exit-codes.js';
import { loggedError } from './observability/logged-error.js';
import { loadSettings } from './runtime/load-settings.js';

/** Closing takes a second or two after DRAIN_SECONDS; past this something hangs, and a supervisor is better served by an end. */
const CLOSE_DEADLINE_MS = 20_000;

/** Human words go to standard output, the log to standard error. */
function announce(line: string): void {
  process.stdout.write(`${line}\n`);
}

function createLog(config: Config): Logger {
  const options = {
    level: config.logLevel,
    base: null,
    serializers: { err: (thrown: unknown) => loggedError(thrown) },
  };
  if (!process.stderr.isTTY) return pino(options, pino.destination(2));
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { destination: 2, ignore: 'pid,hostname' } },
  });
}

/** The process: settings in, one application, signals, exit code. */
async function main(): Promise<void> {
  // What this process and its children write is for nobody else: students' answers are in all of it.
  process.umask(0o077);
  const { config, operations } = await loadSettings(process.env, operationProblem);
  const log = createLog(config);
  const starting = new AbortController();
  let app: App | undefined;
  let ending: Promise<void> | undefined;

  const end = (why: string, exitCode: number): void => {
    if (ending !== undefined) {
      log.warn({ why }, 'ending at once');
      process.exit(EXIT_BY_SIGNAL.SIGINT);
    }
    log.info({ why }, 'stopping');
    process.exitCode = exitCode;
    const deadlineMs = config.drainMs + CLOSE_DEADLINE_MS;
    setTimeout(() => {
      log.fatal({ afterMs: deadlineMs }, 'closing hangs: ending at once');
      process.exit(EXIT.software);
    }, deadlineMs).unref();
    starting.abort(new StartupError(`stopped by ${why} while starting`, 75));
    ending = (app?.close() ?? Promise.resolve()).catch((error: unknown) => {
      log.error({ err: asError(error) }, 'the shutdown was not clean');
      process.exitCode = EXIT.software;
    });
  };

  process.on('SIGINT', () => end('SIGINT', EXIT.ok));
  process.on('SIGTERM', () => end('SIGTERM', EXIT.ok));
  const broken = (error: unknown): void => {
    log.fatal({ err: asError(error) }, 'an error that nothing handled');
    end('an unhandled error', EXIT.software);
  };
  process.on('uncaughtException', broken);
  process.on('unhandledRejection', broken);

  try {
    app = await startApp({ config, operations, log, announce, signal: starting.signal });
  } catch (error) {
    // A start that a signal cut off has closed what it opened, and that is all that was asked for.
    if (!starting.signal.aborted) throw error;
  }
}

main().catch((thrown: unknown) => {
  const error = asError(thrown);
  if (error instanceof StartupError) {
    process.stderr.write(`errata: ${error.message}\n`);
    process.exitCode = error.exitCode;
    return;
  }
  process.stderr.write(`errata: it could not start: ${error.stack}\n`);
  process.exitCode = EXIT.software;
});
