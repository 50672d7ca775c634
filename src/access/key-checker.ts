import { LRUCache } from 'lru-cache';
import { asError, UnauthenticatedError } from '../domain/errors.js';
import type { ApiKeyStore, UsableApiKey } from '../domain/ports/callers.js';
import type { Caller } from '../domain/viewer.js';
import { isSecret, type KeyParts } from './api-key.js';

/** Cache time: a key revoked elsewhere is refused here after this time at the latest. */
const REMEMBERED_MS = 2_000;

/** Cached keys. */
const MAX_REMEMBERED = 10_000;

export interface KeyCheckerParts {
  readonly keys: Pick<ApiKeyStore, 'usable' | 'used'>;
  /** Called for each check with whether the key was cached. */
  readonly onLookUp: (remembered: boolean) => void;
  readonly log: { warn(facts: object, message: string): void };
}

/** Checks API keys against the store, with a short cache. */
export class KeyChecker {
  readonly #usable = new LRUCache<string, UsableApiKey>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });

  constructor(private readonly parts: KeyCheckerParts) {}

  /** UnauthenticatedError if the key is unknown, wrong, expired or revoked, without saying which. */
  async check({ id, secret }: KeyParts): Promise<Caller> {
    const remembered = this.#usable.get(id);
    this.parts.onLookUp(remembered !== undefined);
    const key = remembered ?? (await this.parts.keys.usable(id));
    const right = isSecret(secret, key?.secretSha256 ?? null);
    if (key === null || !right) throw new UnauthenticatedError('the API key is not valid');
    if (remembered === undefined) {
      this.#usable.set(id, key);
      if (!key.usedLately) await this.#writeDown(id);
    }
    return key.caller;
  }

  /** Never rejects: readers must get in while the database accepts no writes. */
  async #writeDown(id: string): Promise<void> {
    try {
      await this.parts.keys.used(id);
    } catch (thrown) {
      this.parts.log.warn({ err: asError(thrown), keyId: id }, 'the last use of an API key could not be stored');
    }
  }
}
