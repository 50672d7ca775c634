import type { EndingSignal } from '../domain/exit-codes.js';
import type { GatewayClient } from './gateway-client.js';
import { type OpenGateway, openGateway } from './open-gateway.js';

/** The option that names a running gateway. */
export const URL_OPTION = [
  '--url <url>',
  'a running gateway, such as http://127.0.0.1:4000; without it the data directory is opened',
] as const;

/** A signal ended the work of a command. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';

  constructor(
    message: string,
    readonly signal: EndingSignal,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Runs a command's work on a gateway that is closed afterwards; Ctrl-C and SIGTERM end the work first, by its signal. StoppedError
 * where the work fails after that.
 */
export async function withGateway<T>(
  { url }: { readonly url?: string },
  work: (client: GatewayClient, signal: AbortSignal) => Promise<T>,
  open: (signal: AbortSignal) => Promise<OpenGateway> = (signal) => openGateway(url, signal),
): Promise<T> {
  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals): void => stopping.abort(new StoppedError('stopped', signal as EndingSignal));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    const gateway = await open(stopping.signal);
    try {
      return await work(gateway.client, stopping.signal);
    } finally {
      await gateway.close();
    }
  } catch (thrown) {
    // What is stopped fails in its own way: a request, a stream, a start.
    if (!stopping.signal.aborted || thrown instanceof StoppedError) throw thrown;
    const { message, signal } = stopping.signal.reason as StoppedError;
    throw new StoppedError(message, signal, { cause: thrown });
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}
