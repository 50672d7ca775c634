/** Who asks, and the keys by which that is known. */
import type { Caller } from '../viewer.js';

/** Says who asks. */
export interface Authenticator {
  /**
   * The caller whom the value of an Authorization header shows. UnauthenticatedError where it shows nobody; UnavailableError
   * (`auth`) where that cannot be found out now.
   */
  authenticate(authorization: string | undefined): Promise<Caller>;
}

/** A key to the API as people may see it. */
export interface ApiKey extends Caller {
  /** The part of the key by which it is found; no secret. */
  readonly id: string;
  /** What it is for, in the words of whoever made it. */
  readonly name: string;
  readonly createdAt: Date;
  /** To the minute. */
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A key as it is made; null: it does not expire. */
export interface NewApiKey extends Caller {
  readonly id: string;
  readonly name: string;
  readonly secretSha256: Uint8Array;
  readonly expiresAt: Date | null;
}

/** What a key is checked against. */
export interface UsableApiKey {
  readonly caller: Caller;
  readonly secretSha256: Uint8Array;
  /** That it was used within the last minute is written down already. */
  readonly usedLately: boolean;
}

/** The keys to the API, of all tenants. Secrets are never stored. */
export interface ApiKeyStore {
  create(key: NewApiKey): Promise<ApiKey>;
  /** Newest first; of one tenant, or of all where that is null. */
  list(tenantId: string | null): Promise<readonly ApiKey[]>;
  /** From now on it lets nobody in. False where there is no such key; one that was revoked before stays so. */
  revoke(id: string): Promise<boolean>;
  /** Null where there is no such key, or it has expired or was revoked. */
  usable(id: string): Promise<UsableApiKey | null>;
  /** Writes down that the key was used just now. */
  used(id: string): Promise<void>;
}
