import type { Config } from '../config/settings.js';
import type { Authenticator } from '../domain/ports/callers.js';
import { authenticatorOf, EVERYONE } from './authenticator.js';
import { hostNames } from './hosts.js';
import { KeyChecker, type KeyCheckerParts } from './key-checker.js';
import { TokenChecker, type TokenCheckerParts } from './token-checker.js';

export interface AccessParts extends KeyCheckerParts {
  readonly config: Pick<Config, 'auth' | 'host' | 'allowedHosts'>;
  readonly log: KeyCheckerParts['log'] & TokenCheckerParts['log'];
}

export interface Access {
  readonly authenticator: Authenticator;
  /** The names by which the gateway may be called; null: any. */
  readonly hosts: ReadonlySet<string> | null;
}

export function createAccess({ config, ...parts }: AccessParts): Access {
  return { authenticator: authenticatorFor(config.auth, parts), hosts: hostNames(config) };
}

function authenticatorFor(auth: Config['auth'], parts: Omit<AccessParts, 'config'>): Authenticator {
  if (auth === null) return EVERYONE;
  return authenticatorOf({
    keys: auth.apiKeys ? new KeyChecker(parts) : null,
    tokens: auth.tokens === null ? null : new TokenChecker({ settings: auth.tokens, log: parts.log }),
  });
}
