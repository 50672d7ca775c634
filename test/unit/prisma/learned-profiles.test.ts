import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresLearnedProfileStore } from '../../../prisma/evaluation/learned-profiles.js';
import { BUILTIN_SETTINGS } from '../../../src/search/profile.js';
import { type Fixture, newTenant, openFixture } from './fixture.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

test('a notebook is learned from by one gateway at a time, and by another as soon as it is released', async () => {
  const store = new PostgresLearnedProfileStore(fixture.database, BUILTIN_SETTINGS);
  const [tenantId, other] = [newTenant(), newTenant()];
  expect([await store.claim(tenantId), await store.claim(tenantId), await store.claim(other)]).toEqual([
    true,
    false,
    true,
  ]);
  await store.release(tenantId);
  expect([await store.claim(tenantId), await store.claim(other)]).toEqual([true, false]);
});
