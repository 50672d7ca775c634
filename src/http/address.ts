import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartupError } from '../domain/errors.js';

/** Where the gateway listens. Port 0 is any free one. */
export interface Address {
  readonly port: number;
  readonly host: string;
}

/**
 * Fails now as `Http.listen` would later, so that nothing is started for an unavailable address. Another program may
 * still take it in between.
 */
export async function refuseTakenPort({ port, host }: Address): Promise<void> {
  const probe = createServer();
  const listening = once(probe.listen(port, host), 'listening');
  await listening.catch((thrown: unknown) => Promise.reject(listenProblem(thrown, { port, host })));
  const closed = once(probe, 'close');
  probe.close();
  await closed;
}

/** Why the address is unavailable, in one line; other errors are returned unchanged. */
export function listenProblem(thrown: unknown, { port, host }: Address): unknown {
  const options = { cause: thrown };
  switch ((thrown as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new StartupError(`port ${port} is taken: end the program that listens there, or set PORT`, 69, options);
    case 'EACCES':
      return new StartupError(`this user may not listen on port ${port}: set PORT to 1024 or more`, 78, options);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartupError(`${host} is not an address of this machine: set HOST`, 78, options);
    default:
      return thrown;
  }
}
