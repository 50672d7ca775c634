import type { Config } from '../config/settings.js';
import { DEFAULT_PROFILE } from '../search/profile.js';
import { GatewayClient } from './gateway-client.js';
import { untilStopped } from './run-command.js';
import { credential, settings } from './settings.js';

export const URL_OPTION = [
  '--url <url>',
  'a running gateway, such as http://127.0.0.1:4000; without it the data directory is opened',
] as const;

export interface GatewayOptions {
  readonly url?: string;
}

/** Runs a command's work on a gateway that is closed afterwards: see `untilStopped`. */
export function withGateway<T>(
  { url }: GatewayOptions,
  work: (client: GatewayClient, signal: AbortSignal) => Promise<T>,
  open: (signal: AbortSignal) => Promise<OpenGateway> = (signal) => openGateway(url, signal),
): Promise<T> {
  return untilStopped(async (signal) => {
    const gateway = await open(signal);
    try {
      return await work(gateway.client, signal);
    } finally {
      await gateway.close();
    }
  });
}

/** A gateway for the time of one command. */
export interface OpenGateway {
  readonly client: GatewayClient;
  /** Stops it if the command has started it. */
  close(): Promise<void>;
}

/**
 * The gateway at `url`; without one, a gateway in this process with the configured data directory and servers, on a
 * free port of loopback. StartupError if it cannot start, for instance if another gateway uses the directory.
 */
export async function openGateway(url: string | undefined, signal: AbortSignal): Promise<OpenGateway> {
  if (url !== undefined) return { client: new GatewayClient(url, credential()), close: async () => undefined };
  const given = settings();
  // No sample cards, and no authentication: the user already has access to the data.
  const open = { auth: null, allowedHosts: null, rateLimit: null, searchProfile: DEFAULT_PROFILE };
  return startGateway({ ...given, ...open, host: '127.0.0.1', port: 0, seedSample: given.seedSample ?? false }, signal);
}

/** A gateway in this process. StartupError if it cannot start. */
export async function startGateway(config: Config, signal: AbortSignal): Promise<OpenGateway> {
  // Loading a gateway takes most of a second: only for commands that need it.
  const [{ startApp }, { createLog }] = await Promise.all([import('../app.js'), import('../observability/log.js')]);
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel);
  const app = await startApp({ config, operations: null, log, announce: () => undefined, signal });
  return { client: new GatewayClient(app.url), close: app.close };
}
