/**
 * The gateway under measure, in a process of its own: its memory and its CPU are its own, and what the benchmark does with
 * the answers does not slow it down. Its settings are the first argument; it ends when the benchmark does, also while it starts.
 */
import { startApp } from '../src/app.js';
import { parseConfig } from '../src/config/settings.js';
import { createLog } from '../src/observability/log.js';

/** What the gateway tells the benchmark: where it listens, once it does. */
export interface GatewayNews {
  readonly url: string;
}

const settings = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>;
const config = parseConfig({ LOG_LEVEL: 'error', ...settings });
const log = createLog(config.logLevel);
const leaving = new AbortController();
process.once('disconnect', () => leaving.abort(new Error('the benchmark has ended')));
// A terminal sends them to the benchmark as well, which ends this process in its turn.
for (const name of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const) process.on(name, () => undefined);
const starting = startApp({ config, operations: null, log, announce: () => undefined, signal: leaving.signal });
starting.then(
  ({ url, close }) => {
    if (leaving.signal.aborted) return void close();
    leaving.signal.addEventListener('abort', () => void close());
    process.send?.({ url } satisfies GatewayNews);
  },
  // A start that was cut off has closed what it opened.
  (error: unknown) => {
    if (leaving.signal.aborted) return;
    throw error;
  },
);
