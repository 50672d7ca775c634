/**
 * The measured gateway, in its own process, so that its memory and CPU can be measured and the benchmark does not slow
 * it down. Its settings are the first argument; it ends with the benchmark, even during its start.
 */
import { startApp } from '../src/app.js';
import { parseConfig } from '../src/config/settings.js';
import { createLog } from '../src/observability/log.js';
import { limitHeapGrowth } from '../src/runtime/heap-growth.js';

/** Message to the benchmark: the address, once the gateway listens. */
export interface GatewayNews {
  readonly url: string;
}

limitHeapGrowth();
const settings = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>;
const config = parseConfig({ LOG_LEVEL: 'error', ...settings });
const log = createLog(config.logLevel);
const leaving = new AbortController();
process.once('disconnect', () => leaving.abort(new Error('the benchmark has ended')));
// A terminal also sends them to the benchmark, which then ends this process.
for (const name of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const) process.on(name, () => undefined);
const starting = startApp({ config, operations: null, log, announce: () => undefined, signal: leaving.signal });
starting.then(
  ({ url, close }) => {
    if (leaving.signal.aborted) return void close();
    leaving.signal.addEventListener('abort', () => void close());
    process.send?.({ url } satisfies GatewayNews);
  },
  // An aborted start has closed what it opened.
  (error: unknown) => {
    if (leaving.signal.aborted) return;
    throw error;
  },
);
