import { PostgresApiKeys } from '../../prisma/api-keys.js';
import { openDatabase } from '../../prisma/client.js';
import { newApiKey } from '../../src/access/api-key.js';
import type { Scope } from '../../src/domain/viewer.js';

export interface KeyOptions {
  readonly expiresAt?: Date;
  readonly isRevoked?: boolean;
}

/** The text of a new API key of ada, an admin of the school `north`, in the database at `url`. */
export async function keyOf(
  url: string,
  scopes: readonly Scope[],
  { expiresAt, isRevoked = false }: KeyOptions = {},
): Promise<string> {
  const connection = await openDatabase(url);
  try {
    const keys = new PostgresApiKeys(connection);
    const { text, id, secretSha256 } = newApiKey();
    const owner = { tenantId: 'north', ownerId: 'ada', role: 'admin' } as const;
    await keys.create({ ...owner, id, scopes, name: '', secretSha256, expiresAt: expiresAt ?? null });
    if (isRevoked) await keys.revoke(id);
    return text;
  } finally {
    await connection.close();
  }
}

/** The id in the text of a key. */
export function idOfKey(text: string): string {
  const [, id] = /_([0-9a-f]{16})_/.exec(text) ?? [];
  if (id === undefined) throw new Error('no API key');
  return id;
}
