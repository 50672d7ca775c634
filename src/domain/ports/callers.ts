/** Callers and their API keys. */
import type { Caller } from '../viewer.js';

export interface Authenticator {
  /**
   * The caller that the value of an Authorization header identifies. UnauthenticatedError if it identifies nobody;
   * UnavailableError (`auth`) if that cannot be checked now.
   */
  authenticate(authorization: string | undefined): Promise<Caller>;
}

export interface ApiKey extends Caller {
  /** The public part of the key. */
  readonly id: string;
  /** Free text given by its creator. */
  readonly name: string;
  readonly createdAt: Date;
  /** To the minute. */
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** `expiresAt` null: it does not expire. */
export interface NewApiKey extends Caller, Pick<ApiKey, 'id' | 'name' | 'expiresAt'> {
  readonly secretSha256: Uint8Array;
}

export interface UsableApiKey {
  readonly caller: Caller;
  readonly secretSha256: Uint8Array;
  /** A use within the last minute is recorded already. */
  readonly usedLately: boolean;
}

/** Whose API keys; null: of all tenants, of all owners. */
export interface ApiKeysOf {
  readonly tenantId: string | null;
  readonly ownerId: string | null;
}

/** The API keys of all tenants. Secrets are not stored. */
export interface ApiKeyStore {
  create(key: NewApiKey): Promise<ApiKey>;
  /** Newest first, at most `first` of them. */
  list(of: ApiKeysOf, first?: number): Promise<readonly ApiKey[]>;
  /**
   * False if there is no such key, or none of the tenant where one is given; a revoked one keeps its time of
   * revocation.
   */
  revoke(id: string, tenantId?: string): Promise<boolean>;
  /** Null if there is no such key, or it has expired or was revoked. */
  usable(id: string): Promise<UsableApiKey | null>;
  /** Records that the key was used now. */
  used(id: string): Promise<void>;
}
