import { BadInputError, ForbiddenError } from '../domain/errors.js';
import type { WantedApiKey } from '../domain/parse/api-key.js';
import type { ApiKey, ApiKeyStore } from '../domain/ports/callers.js';
import type { Caller, Viewer } from '../domain/viewer.js';
import { newApiKey } from './api-key.js';

const DAY_MS = 86_400_000;

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
