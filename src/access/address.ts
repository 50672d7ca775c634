import { BlockList, isIP } from 'node:net';
import { StartupError } from '../domain/errors.js';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether only programs on this machine can reach an address. Names other than localhost may mean anything. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/** StartupError (78) where a gateway that asks nobody who comes would listen where others can come. */
export function refuseOpenAddress({ host, auth }: { readonly host: string; readonly auth: object | null }): void {
  if (auth !== null || isLoopback(host)) return;
  throw new StartupError(
    `HOST is ${host}, which others can reach, and nobody would be asked who comes: set API_KEYS=true, JWT_SECRET or JWT_JWKS_URL, or HOST=127.0.0.1`,
    78,
  );
}
