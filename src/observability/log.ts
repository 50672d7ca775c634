import { type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Config } from '../config/settings.js';
import { loggedError } from './logged-error.js';

/**
 * Logs to standard error: JSON lines, or readable lines on a terminal. Written synchronously, so that the last lines
 * before the end are not lost; errors of a closed terminal or pipe are ignored.
 */
export function createLog(level: Config['logLevel']): Logger {
  const options = { level, base: null, serializers: { err: (thrown: unknown) => loggedError(thrown) } };
  const { stderr } = process;
  if (!stderr.isTTY) return pino(options, stderr);
  const pretty = prettyFactory({ colorize: stderr.hasColors(), singleLine: true });
  return pino(options, { write: (line: string) => void stderr.write(pretty(line)) });
}
