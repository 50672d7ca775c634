import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { ConflictError, NotFoundError } from '../../../src/domain/errors.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { admin, dirtyRows, type Fixture, newCard, newTenant, openFixture, student } from './fixture.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

const request = (key: string, body = 'a body') => ({ key, body });
const count = async (tenantId: string): Promise<number> => (await dirtyRows(fixture, tenantId)).size;

describe('a change with a request key', () => {
  test('is made once for any number of sequential and concurrent requests', async () => {
    const viewer = admin(newTenant());
    const created = await Promise.all(
      Array.from({ length: 8 }, () => fixture.cards.create(viewer, newCard(), request('k'))),
    );
    expect(new Set(created.map(({ id }) => id)).size).toBe(1);
    expect(await count(viewer.tenantId)).toBe(1);
    const [{ id } = { id: '' }] = created;
    const changes = await Promise.all(
      Array.from({ length: 8 }, () => fixture.cards.update(viewer, id, { notes: 'once' }, 1, request('u'))),
    );
    expect(changes.map(({ revision }) => revision)).toEqual(Array(8).fill(2));
    const deletions = await Promise.all(
      Array.from({ length: 8 }, () => fixture.cards.delete(viewer, id, null, request('d'))),
    );
    expect(deletions).toEqual(Array(8).fill(true));
    expect(await fixture.cards.delete(viewer, id)).toBe(false);
  });

  test('returns the card as it is now, and NOT_FOUND if it is deleted', async () => {
    const viewer = admin(newTenant());
    const { id } = await fixture.cards.create(viewer, newCard(), request('k'));
    await fixture.cards.update(viewer, id, { notes: 'later' }, null);
    expect(await fixture.cards.create(viewer, newCard(), request('k'))).toMatchObject({
      id,
      revision: 2,
      notes: 'later',
    });
    await fixture.cards.delete(viewer, id);
    await expect(fixture.cards.create(viewer, newCard(), request('k'))).rejects.toThrow(NotFoundError);
  });

  test('is refused if the key came with another body', async () => {
    const viewer = admin(newTenant());
    await fixture.cards.create(viewer, newCard(), request('k', 'one'));
    await expect(fixture.cards.create(viewer, newCard(), request('k', 'other'))).rejects.toThrow(ConflictError);
    expect(await count(viewer.tenantId)).toBe(1);
  });

  test('may be retried if it failed: a key is stored with its change or not at all', async () => {
    const viewer = admin(newTenant());
    const { id } = await fixture.cards.create(viewer, newCard());
    await expect(fixture.cards.update(viewer, id, { notes: 'x' }, 7, request('k'))).rejects.toThrow(ConflictError);
    await fixture.cards.update(viewer, id, { notes: 'y' }, null);
    expect(await fixture.cards.update(viewer, id, { notes: 'x' }, 2, request('k'))).toMatchObject({ revision: 3 });
  });

  test('uses keys of its owner: equal keys of others have no effect', async () => {
    const tenant = newTenant();
    for (const viewer of [student(tenant, 'amy'), student(tenant, 'ben'), student(newTenant(), 'amy')]) {
      const card = await fixture.cards.create(viewer, newCard(), request('k', `of ${viewer.ownerId}`));
      expect(card.ownerId).toBe(viewer.ownerId);
      expect(card.tenantId).toBe(viewer.tenantId);
    }
  });

  test('uses keys of its sender where that is not the owner of the card', async () => {
    const tenant = newTenant();
    const tess: Viewer = { tenantId: tenant, ownerId: 'tess', role: 'teacher' };
    const [amy, ben] = [student(tenant, 'amy'), student(tenant, 'ben')];
    const fromTess = (body: string) => ({ ...request('k', body), sender: tess });
    const made = await fixture.cards.create(amy, newCard(), fromTess('for amy'));
    expect(made.ownerId).toBe('amy');
    expect(await fixture.cards.create(amy, newCard(), fromTess('for amy'))).toMatchObject({ id: made.id });
    await expect(fixture.cards.create(ben, newCard(), fromTess('for ben'))).rejects.toThrow(ConflictError);
    expect((await fixture.cards.create(amy, newCard(), request('k', "amy's own"))).id).not.toBe(made.id);
    expect(await count(tenant)).toBe(2);
  });

  test('is forgotten after a day, and stores no text of a card', async () => {
    const viewer = admin(newTenant());
    await fixture.cards.create(viewer, newCard(), request('k'));
    const own = Prisma.sql`FROM idempotency_key WHERE tenant_id = ${viewer.tenantId}`;
    const kept = await fixture.database.query<{ row: string }>(Prisma.sql`SELECT response::text AS row ${own}`);
    expect(kept).toEqual([{ row: expect.stringMatching(/^\{"cardId": "[0-9a-f-]{36}"\}$/) }]);
    await fixture.database.execute(Prisma.sql`
      UPDATE idempotency_key SET created_at = now() - interval '25 hours' WHERE tenant_id = ${viewer.tenantId}`);
    await fixture.cards.create(viewer, newCard(), request('later'));
    expect(await fixture.database.query(Prisma.sql`SELECT key ${own}`)).toEqual([{ key: 'later' }]);
  });

  test('may reuse a key that has expired', async () => {
    const viewer = admin(newTenant());
    await fixture.cards.create(viewer, newCard(), request('k'));
    await fixture.database.execute(Prisma.sql`
      UPDATE idempotency_key SET created_at = now() - interval '25 hours' WHERE tenant_id = ${viewer.tenantId}`);
    const { id } = await fixture.cards.create(viewer, newCard(), request('k', 'another body'));
    expect(await count(viewer.tenantId)).toBe(2);
    expect((await fixture.cards.create(viewer, newCard(), request('k', 'another body'))).id).toBe(id);
  });
});
