import type { ApiKey, ApiKeyStore, NewApiKey, UsableApiKey } from '../src/domain/ports/callers.js';
import type { Caller } from '../src/domain/viewer.js';
import { Prisma } from './generated/client.js';
import type { Statements } from './statements.js';

/** The columns of api_key under the names of {@link ApiKey}: a row is one. */
const COLUMNS = Prisma.sql`id, tenant_id AS "tenantId", owner_id AS "ownerId", role, scopes, name,
  created_at AS "createdAt", last_used_at AS "lastUsedAt", expires_at AS "expiresAt", revoked_at AS "revokedAt"`;

/** The API keys in PostgreSQL. They expire by the database's clock. */
export class PostgresApiKeys implements ApiKeyStore {
  constructor(private readonly database: Statements) {}

  async create(key: NewApiKey): Promise<ApiKey> {
    const { id, tenantId, ownerId, role, scopes, name, secretSha256, expiresAt } = key;
    const [created] = await this.database.query<ApiKey>(Prisma.sql`
      INSERT INTO api_key (id, tenant_id, owner_id, role, scopes, name, secret_sha256, expires_at)
      VALUES (${id}, ${tenantId}, ${ownerId}, ${role}, ${scopes}::text[], ${name}, ${Buffer.from(secretSha256)},
        ${expiresAt}::timestamptz)
      RETURNING ${COLUMNS}`);
    if (created === undefined) throw new Error('inserting an API key gave no row');
    return created;
  }

  list(tenantId: string | null): Promise<readonly ApiKey[]> {
    return this.database.query<ApiKey>(Prisma.sql`
      SELECT ${COLUMNS} FROM api_key WHERE ${tenantId}::text IS NULL OR tenant_id = ${tenantId}
      ORDER BY created_at DESC, id`);
  }

  async revoke(id: string): Promise<boolean> {
    const rows = await this.database.execute(Prisma.sql`
      UPDATE api_key SET revoked_at = coalesce(revoked_at, now()) WHERE id = ${id}`);
    return rows > 0;
  }

  async usable(id: string): Promise<UsableApiKey | null> {
    const [row] = await this.database.query<Caller & Omit<UsableApiKey, 'caller'>>(Prisma.sql`
      SELECT tenant_id AS "tenantId", owner_id AS "ownerId", role, scopes, secret_sha256 AS "secretSha256",
        coalesce(last_used_at > now() - interval '1 minute', false) AS "usedLately"
      FROM api_key WHERE id = ${id} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`);
    if (row === undefined) return null;
    const { secretSha256, usedLately, ...caller } = row;
    return { caller, secretSha256, usedLately };
  }

  async used(id: string): Promise<void> {
    await this.database.execute(Prisma.sql`UPDATE api_key SET last_used_at = now() WHERE id = ${id}`);
  }
}
