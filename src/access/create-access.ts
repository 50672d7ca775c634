import type { Config } from '../config/settings.js';
import type { ApiKeyStore } from '../domain/ports/callers.js';
import { ApiKeyService, KeyChecker, type KeyCheckerParts } from './api-key.js';
import { authenticatorOf, EVERYONE } from './authenticator.js';
import { TokenChecker, type TokenCheckerParts } from './token-checker.js';

export interface AccessParts extends KeyCheckerParts {
  readonly config: Pick<Config, 'auth' | 'host' | 'allowedHosts'>;
  readonly keys: ApiKeyStore;
  readonly log: KeyCheckerParts['log'] & TokenCheckerParts['log'];
}

export function createAccess({ config, ...parts }: AccessParts) {
  const { apiKeys = false, tokens = null } = config.auth ?? {};
  const checkers = {
    keys: apiKeys ? new KeyChecker(parts) : null,
    tokens: tokens === null ? null : new TokenChecker({ settings: tokens, log: parts.log }),
  };
  return {
    authenticator: config.auth === null ? EVERYONE : authenticatorOf(checkers),
    hosts: hostNames(config),
    apiKeys: new ApiKeyService(parts.keys, apiKeys),
  };
}

const OWN_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Accepted host names; null: any. Without authentication, only those of loopback, against DNS rebinding: a web page
 * could make its own domain resolve to this machine and read everything through its visitor's browser, which then still
 * sends the page's domain. With authentication the browser has no credential to send.
 */
export function hostNames({
  host,
  auth,
  allowedHosts,
}: Pick<Config, 'host' | 'allowedHosts'> & { readonly auth: object | null }): ReadonlySet<string> | null {
  if (allowedHosts !== null) return new Set(allowedHosts);
  return auth === null ? new Set([...OWN_NAMES, host.includes(':') ? `[${host}]` : host.toLowerCase()]) : null;
}
