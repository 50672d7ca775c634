import { UnauthenticatedError } from '../domain/errors.js';
import type { Authenticator } from '../domain/ports/callers.js';
import { type Caller, DEFAULT_VIEWER, SCOPES } from '../domain/viewer.js';
import { isMeantAsKey, type KeyParts, keyParts } from './api-key.js';

/** The caller of every request to a gateway without authentication. */
export const DEFAULT_CALLER: Caller = { ...DEFAULT_VIEWER, scopes: SCOPES };

/** No authentication: for a gateway that only its own machine can reach. */
export const EVERYONE: Authenticator = { authenticate: async () => DEFAULT_CALLER };

/** Accepted kinds of credentials; null: not this kind. */
export interface Checkers {
  readonly keys: { check(parts: KeyParts): Promise<Caller> } | null;
  readonly tokens: { check(token: string): Promise<Caller> } | null;
}

/** Accepts `Authorization: Bearer` with an API key or a JWT, distinguished by their form. */
export function authenticatorOf({ keys, tokens }: Checkers): Authenticator {
  return {
    async authenticate(authorization) {
      if (authorization === undefined)
        throw new UnauthenticatedError('send a credential as `Authorization: Bearer ...`');
      const credential = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
      if (credential === undefined)
        throw new UnauthenticatedError('the Authorization header is not of the form `Bearer ...`');
      const isKey = isMeantAsKey(credential);
      if (isKey && keys !== null) {
        const parts = keyParts(credential);
        if (parts === null) throw new UnauthenticatedError('the API key is not valid');
        return keys.check(parts);
      }
      if (!isKey && tokens !== null) return tokens.check(credential);
      throw new UnauthenticatedError('this gateway does not accept credentials of this kind');
    },
  };
}
