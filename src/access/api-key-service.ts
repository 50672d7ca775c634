import { BadInputError, ForbiddenError } from '../domain/errors.js';
import type { WantedApiKey } from '../domain/parse/api-key.js';
import type { ApiKey, ApiKeyStore } from '../domain/ports/callers.js';
import type { Caller, Viewer } from '../domain/viewer.js';
import { newApiKey } from './api-key.js';

const DAY_MS = 86_400_000;

/** The API keys of an admin's own school. Who is an admin, the caller has checked. */
export class ApiKeyService {
  constructor(
    private readonly store: Pick<ApiKeyStore, 'create' | 'list' | 'revoke'>,
    /** Whether the gateway accepts keys at all. */
    private readonly accepted: boolean,
  ) {}

  /** Newest first. */
  list({ tenantId }: Viewer, first: number): Promise<readonly ApiKey[]> {
    return this.store.list(tenantId, first);
  }

  /**
   * The new key with its text, which is not stored. A key can do no more than the credential that makes it: a scope that the caller
   * lacks is a BadInputError. ForbiddenError if the gateway takes no keys: whoever may do everything without one would leave a
   * credential behind for the day on which it does.
   */
  async create(
    caller: Caller,
    { days, ...wanted }: WantedApiKey,
  ): Promise<{ readonly key: ApiKey; readonly text: string }> {
    if (!this.accepted) throw new ForbiddenError('this gateway takes no API keys: start it with API_KEYS=true');
    const scope = wanted.scopes.find((one) => !caller.scopes.includes(one));
    if (scope !== undefined) throw new BadInputError('input.scopes', `this credential lacks the scope ${scope} itself`);
    const { text, id, secretSha256 } = newApiKey();
    const expiresAt = new Date(Date.now() + days * DAY_MS);
    const key = await this.store.create({ ...wanted, id, tenantId: caller.tenantId, secretSha256, expiresAt });
    return { key, text };
  }

  /** False if the school has no key of this id. */
  revoke({ tenantId }: Viewer, id: string): Promise<boolean> {
    return this.store.revoke(id, tenantId);
  }
}
