import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { within } from '../domain/async.js';
import { asError, BadInputError, ForbiddenError, UnauthenticatedError, UnavailableError } from '../domain/errors.js';
import { DAY_MS } from '../domain/local-day.js';
import type { WantedApiKey } from '../domain/parse/api-key.js';
import type { ApiKey, ApiKeyStore, UsableApiKey } from '../domain/ports/callers.js';
import type { Log } from '../domain/ports/log.js';
import type { Caller, Viewer } from '../domain/viewer.js';

/** 8 random bytes: enough to be unique; not secret. */
const ID_BYTES = 8;

/** 256 bits: a hash without salt or rounds is enough against brute force. */
const SECRET_BYTES = 32;

/**
 * `errata_` (which secret scanners can find), the id in hex, the secret in base64url. Earlier versions created keys
 * with `ms_`.
 */
const FORM = /^(?:errata|ms)_([0-9a-f]{16})_([\w-]{43})$/;

/** Compared if no key has the id, so that both cases take the same time. */
const NOBODY = digestOf('');

/** The id finds the key, the secret proves possession. */
export interface KeyParts {
  readonly id: string;
  readonly secret: string;
}

/** A new key: the text to show once, and the parts to store. */
export function newApiKey(): { readonly text: string; readonly id: string; readonly secretSha256: Uint8Array } {
  const id = randomBytes(ID_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { text: `errata_${id}_${secret}`, id, secretSha256: digestOf(secret) };
}

/** Whether a credential is meant to be a key, even if it was not copied whole. No JWT begins so. */
export function isMeantAsKey(text: string): boolean {
  return /^(?:errata|ms)_/.test(text);
}

/** The parts of a key's text; null for any other text. */
export function keyParts(text: string): KeyParts | null {
  const [, id, secret] = FORM.exec(text) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}

/** Compares a secret with a stored hash in constant time; null is never equal. */
export function isSecret(secret: string, secretSha256: Uint8Array | null): boolean {
  return timingSafeEqual(digestOf(secret), secretSha256 ?? NOBODY) && secretSha256 !== null;
}

function digestOf(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}

/** API keys of one tenant. The caller checks that the viewer is an admin. */
export class ApiKeyService {
  constructor(
    private readonly store: Pick<ApiKeyStore, 'create' | 'list' | 'revoke'>,
    private readonly accepted: boolean,
  ) {}

  /** Newest first; null: of all owners. */
  list({ tenantId }: Viewer, ownerId: string | null, first: number): Promise<readonly ApiKey[]> {
    return this.store.list({ tenantId, ownerId }, first);
  }

  /**
   * Returns the new key with its text, which is not stored. BadInputError for a scope that the caller lacks.
   * ForbiddenError if the gateway accepts no keys: anyone may use such a gateway, and could create a credential that is
   * valid once keys are required.
   */
  async create(
    caller: Caller,
    { days, ...wanted }: WantedApiKey,
  ): Promise<{ readonly key: ApiKey; readonly text: string }> {
    if (!this.accepted) throw new ForbiddenError('this gateway does not accept API keys: start it with API_KEYS=true');
    const scope = wanted.scopes.find((one) => !caller.scopes.includes(one));
    if (scope !== undefined) throw new BadInputError('input.scopes', `this credential lacks the scope ${scope} itself`);
    const { text, id, secretSha256 } = newApiKey();
    const expiresAt = new Date(Date.now() + days * DAY_MS);
    const key = await this.store.create({ ...wanted, id, tenantId: caller.tenantId, secretSha256, expiresAt });
    return { key, text };
  }

  /** False if the tenant has no key with this id. */
  revoke({ tenantId }: Viewer, id: string): Promise<boolean> {
    return this.store.revoke(id, tenantId);
  }
}

/** Cache time: a key revoked elsewhere is refused here after this time at the latest. */
const REMEMBERED_MS = 2_000;

/** A database that does not find a key within this counts as unavailable; the socket would be closed after 12 s. */
const LOOK_UP_DEADLINE_MS = 5_000;

const MAX_REMEMBERED = 10_000;

export interface KeyCheckerParts {
  readonly keys: Pick<ApiKeyStore, 'usable' | 'used'>;
  /** Called for each check with whether the key was cached. */
  readonly onLookUp: (remembered: boolean) => void;
  readonly log: Pick<Log, 'warn'>;
}

/** Checks API keys against the store, with a short cache. */
export class KeyChecker {
  readonly #usable = new LRUCache<string, UsableApiKey>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });
  /** Keys whose use is being stored. */
  readonly #storing = new Set<string>();

  constructor(private readonly parts: KeyCheckerParts) {}

  /**
   * UnauthenticatedError if the key is unknown, wrong, expired or revoked, without saying which. UnavailableError if
   * the database does not answer in time.
   */
  async check({ id, secret }: KeyParts): Promise<Caller> {
    const remembered = this.#usable.get(id);
    this.parts.onLookUp(remembered !== undefined);
    const key = remembered ?? (await this.#lookUp(id));
    const right = isSecret(secret, key?.secretSha256 ?? null);
    if (key === null || !right) throw new UnauthenticatedError('the API key is not valid');
    if (remembered === undefined) {
      this.#usable.set(id, key);
      if (!key.usedLately && !this.#storing.has(id)) void this.#storeUse(id);
    }
    return key.caller;
  }

  #lookUp(id: string): Promise<UsableApiKey | null> {
    const late = () => new UnavailableError('database', `no answer within ${LOOK_UP_DEADLINE_MS} ms`);
    return within({ ms: LOOK_UP_DEADLINE_MS, late }, () => this.parts.keys.usable(id));
  }

  /** Never rejects, and no request waits for it: readers must get in while the database accepts no writes. */
  async #storeUse(id: string): Promise<void> {
    this.#storing.add(id);
    try {
      await this.parts.keys.used(id);
    } catch (thrown) {
      this.parts.log.warn({ err: asError(thrown), keyId: id }, 'the last use of an API key could not be stored');
    } finally {
      this.#storing.delete(id);
    }
  }
}
