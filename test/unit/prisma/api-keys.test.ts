import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresApiKeys } from '../../../prisma/api-keys.js';
import { Prisma } from '../../../prisma/generated/client.js';
import type { NewApiKey } from '../../../src/domain/ports/callers.js';
import { type Fixture, newTenant, openFixture } from './fixture.js';

let fixture: Fixture;
let keys: PostgresApiKeys;
beforeAll(async () => {
  fixture = await openFixture();
  keys = new PostgresApiKeys(fixture.database);
});
afterAll(() => fixture.close());

let count = 0;
function newKey(given: Partial<NewApiKey> = {}): NewApiKey {
  count += 1;
  return {
    id: `key-${count}`,
    tenantId: 'north',
    ownerId: 'amy',
    role: 'teacher',
    scopes: ['read', 'metrics'],
    name: "it's; --",
    secretSha256: new Uint8Array(32).fill(count),
    expiresAt: null,
    ...given,
  };
}

const fromNow = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);

describe('API keys', () => {
  test('are usable with the caller they were created for, until they are revoked', async () => {
    const { secretSha256, ...key } = newKey({ expiresAt: fromNow(3_600) });
    const created = await keys.create({ ...key, secretSha256 });
    expect(created).toEqual({ ...key, createdAt: expect.any(Date), lastUsedAt: null, revokedAt: null });
    const { tenantId, ownerId, role, scopes } = key;
    const found = await keys.usable(key.id);
    expect(found).toEqual({ caller: { tenantId, ownerId, role, scopes }, secretSha256, usedLately: false });
    expect(await keys.revoke(key.id)).toBe(true);
    expect(await keys.usable(key.id)).toBeNull();
  });

  test('keep the time of their first revocation', async () => {
    const { id } = await keys.create(newKey());
    await keys.revoke(id);
    const revoked = async () =>
      (await keys.list({ tenantId: null, ownerId: null })).find((key) => key.id === id)?.revokedAt;
    const first = await revoked();
    expect(first).toBeInstanceOf(Date);
    expect(await keys.revoke(id)).toBe(true);
    expect(await revoked()).toEqual(first);
    expect(await keys.revoke('no such key')).toBe(false);
  });

  test('are unusable once expired, and unknown before they are created', async () => {
    const { id } = await keys.create(newKey({ expiresAt: fromNow(-1) }));
    expect(await keys.usable(id)).toBeNull();
    expect(await keys.usable('no such key')).toBeNull();
  });

  test('record their last use, to the minute', async () => {
    const { id } = await keys.create(newKey());
    await keys.used(id);
    expect((await keys.usable(id))?.usedLately).toBe(true);
    await fixture.database.execute(Prisma.sql`
      UPDATE api_key SET last_used_at = last_used_at - interval '61 seconds' WHERE id = ${id}`);
    expect((await keys.usable(id))?.usedLately).toBe(false);
  });

  test('are listed newest first, of one tenant or owner or of all, and never with a secret', async () => {
    const tenantId = newTenant();
    const first = await keys.create(newKey({ tenantId }));
    const second = await keys.create(newKey({ tenantId, ownerId: 'second' }));
    // Both may have been created in the same millisecond.
    await fixture.database.execute(Prisma.sql`
      UPDATE api_key SET created_at = created_at - interval '1 second' WHERE id = ${first.id}`);
    expect((await keys.list({ tenantId, ownerId: null })).map(({ id }) => id)).toEqual([second.id, first.id]);
    expect((await keys.list({ tenantId, ownerId: 'second' })).map(({ id }) => id)).toEqual([second.id]);
    const all = await keys.list({ tenantId: null, ownerId: null });
    expect(all.length).toBeGreaterThan(2);
    for (const key of all) expect(Object.keys(key)).not.toContain('secretSha256');
  });

  test('with an unknown role are refused by the table', async () => {
    await expect(keys.create(newKey({ role: 'root' as never }))).rejects.toThrow(/api_key_role_check/);
  });
});
