import type { ApiKey, ApiKeyStore, ApiKeysOf, NewApiKey, UsableApiKey } from '../src/domain/ports/callers.js';
import type { Caller } from '../src/domain/viewer.js';
import type { Database } from './client.js';

/** The use of a key is recorded at most this often, in ms. */
const USE_RESOLUTION_MS = 60_000;

const CALLER = { tenantId: true, ownerId: true, role: true, scopes: true } as const;
const API_KEY = {
  ...CALLER,
  id: true,
  name: true,
  createdAt: true,
  lastUsedAt: true,
  expiresAt: true,
  revokedAt: true,
} as const;

/** Keys expire by the database's clock. A key's role and scopes are checked before it is stored. */
export class PostgresApiKeys implements ApiKeyStore {
  constructor(private readonly database: Database) {}

  create({ secretSha256, scopes, ...key }: NewApiKey): Promise<ApiKey> {
    const data = { ...key, scopes: { set: [...scopes] }, secretSha256: new Uint8Array(secretSha256) };
    return this.database.run(({ apiKey }) => apiKey.create({ data, select: API_KEY })) as Promise<ApiKey>;
  }

  list({ tenantId, ownerId }: ApiKeysOf, first?: number): Promise<readonly ApiKey[]> {
    const where = { ...(tenantId !== null && { tenantId }), ...(ownerId !== null && { ownerId }) };
    return this.database.run(({ apiKey }) =>
      apiKey.findMany({
        where,
        select: API_KEY,
        orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
        ...(first !== undefined && { take: first }),
      }),
    ) as Promise<ApiKey[]>;
  }

  async revoke(id: string, tenantId?: string): Promise<boolean> {
    const where = tenantId === undefined ? { id } : { id, tenantId };
    const revokedAt = await this.database.now();
    return this.database.run(async ({ apiKey }) => {
      await apiKey.updateMany({ where: { ...where, revokedAt: null }, data: { revokedAt } });
      return (await apiKey.count({ where })) > 0;
    });
  }

  async usable(id: string): Promise<UsableApiKey | null> {
    const [now, key] = await Promise.all([
      this.database.now(),
      this.database.run(({ apiKey }) =>
        apiKey.findUnique({
          where: { id, revokedAt: null },
          select: { ...CALLER, secretSha256: true, lastUsedAt: true, expiresAt: true },
        }),
      ),
    ]);
    if (key === null) return null;
    const { secretSha256, lastUsedAt, expiresAt, ...caller } = key;
    if (expiresAt !== null && expiresAt <= now) return null;
    const usedLately = lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < USE_RESOLUTION_MS;
    return { caller: caller as Caller, secretSha256, usedLately };
  }

  async used(id: string): Promise<void> {
    const lastUsedAt = await this.database.now();
    await this.database.run(({ apiKey }) => apiKey.updateMany({ where: { id }, data: { lastUsedAt } }));
  }
}
