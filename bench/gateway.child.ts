/**
 * The gateway under measure, in a process of its own: its memory and its CPU are its own, and what the benchmark does with
 * the answers does not slow it down. Its settings are the first argument; it ends when the benchmark does.
 */
import { pino } from 'pino';
import { startApp } from '../src/app.js';
import { parseConfig } from '../src/config/settings.js';

/** What the gateway tells the benchmark: where it listens, once it does. */
export interface GatewayNews {
  readonly url: string;
}

const log = pino({ level: 'error' }, pino.destination(2));
const settings = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>;
const { signal } = new AbortController();
const app = await startApp({ config: parseConfig(settings), operations: null, log, announce: () => undefined, signal });
process.once('disconnect', () => void app.close());
process.send?.({ url: app.url } satisfies GatewayNews);
