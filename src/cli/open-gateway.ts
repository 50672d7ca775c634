import { Closers } from '../domain/async.js';
import { DEFAULT_PROFILE } from '../search/profile.js';
import { GatewayClient } from './gateway-client.js';
import { credential, settings } from './settings.js';

/** A gateway for the time of one command. */
export interface OpenGateway {
  readonly client: GatewayClient;
  /** Ends it where the command started it. */
  close(): Promise<void>;
}

/**
 * The gateway that runs at `url`; without one, a gateway of this process on the data directory and the servers that the
 * environment names, on a free port of loopback. StartupError where it cannot start, as when another gateway has the directory.
 */
export async function openGateway(url: string | undefined, signal: AbortSignal): Promise<OpenGateway> {
  if (url !== undefined) return { client: new GatewayClient(url, credential()), close: async () => undefined };
  const closers = new Closers();
  const given = settings();
  // What is opened for a notebook of one's own shall not fill itself with the sample; whoever has the data needs no key to it.
  const open = { auth: null, allowedHosts: null, rateLimit: null, searchProfile: DEFAULT_PROFILE };
  const config = { ...given, ...open, host: '127.0.0.1', port: 0, seedSample: given.seedSample ?? false };
  // Loading a gateway takes most of a second: not for commands that do without.
  const [{ startApp }, { createLog }] = await Promise.all([import('../app.js'), import('../observability/log.js')]);
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel);
  const app = await startApp({ config, operations: null, log, announce: () => undefined, signal });
  closers.add('gateway', app.close);
  return { client: new GatewayClient(app.url), close: closers.close };
}
