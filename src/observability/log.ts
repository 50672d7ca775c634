import { type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Config } from '../config/settings.js';
import { loggedError } from './logged-error.js';

/**
 * Logs to standard error: JSON lines for a program that reads it, lines for people on a terminal. Written at once and in this
 * thread, so that the last line before an end is not lost; a terminal or a pipe that is gone is nobody to tell it to.
 */
export function createLog(level: Config['logLevel']): Logger {
  const options = { level, base: null, serializers: { err: (thrown: unknown) => loggedError(thrown) } };
  const { stderr } = process;
  if (!stderr.isTTY) return pino(options, stderr);
  const pretty = prettyFactory({ colorize: stderr.hasColors(), singleLine: true });
  return pino(options, { write: (line: string) => void stderr.write(pretty(line)) });
}
