import { stoppable } from '../runtime/stopping.js';
import type { GatewayClient } from './gateway-client.js';
import { type OpenGateway, openGateway } from './open-gateway.js';
import { STOP_DEADLINE_MS } from './run-command.js';

/** The option that names a running gateway. */
export const URL_OPTION = [
  '--url <url>',
  'a running gateway, such as http://127.0.0.1:4000; without it the data directory is opened',
] as const;

/** Runs a command's work on a gateway that is closed afterwards, and when the command is stopped: see `stoppable`. */
export function withGateway<T>(
  { url }: { readonly url?: string },
  work: (client: GatewayClient, signal: AbortSignal) => Promise<T>,
  open: (signal: AbortSignal) => Promise<OpenGateway> = (signal) => openGateway(url, signal),
): Promise<T> {
  return stoppable(
    async ({ signal }) => {
      const gateway = await open(signal);
      try {
        return await work(gateway.client, signal);
      } finally {
        await gateway.close();
      }
    },
    { deadlineMs: STOP_DEADLINE_MS },
  );
}
