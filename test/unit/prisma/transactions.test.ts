import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { UnavailableError } from '../../../src/domain/errors.js';
import { deferred } from '../../support/deferred.js';
import { admin, type Fixture, newCard, newTenant, openFixture } from './fixture.js';
import { backend, terminate } from './sessions.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

describe('a transaction', () => {
  const tenantId = newTenant();

  /**
   * Two transactions that take two rows in opposite order, each when the other holds its first: one of them must lose.
   */
  test('that lost a deadlock is run again, and both changes are stored', async () => {
    for (const id of ['x', 'y']) await fixture.cards.create(admin(tenantId), newCard({ id }));
    const holds = [deferred(), deferred()] as const;
    let runs = 0;
    const touch = (order: readonly ['x' | 'y', 'x' | 'y'], mine: 0 | 1): Promise<void> =>
      fixture.database.transaction(async (tx) => {
        runs++;
        const bump = (id: string): Promise<number> =>
          tx.execute(
            Prisma.sql`UPDATE card SET notes = coalesce(notes, '') || '+' WHERE tenant_id = ${tenantId} AND id = ${id}`,
          );
        await bump(order[0]);
        holds[mine].resolve();
        await holds[mine === 0 ? 1 : 0].promise;
        await bump(order[1]);
      });
    await Promise.all([touch(['x', 'y'], 0), touch(['y', 'x'], 1)]);
    // One loses, and perhaps again: it may take its first row once more before the other one has got it.
    expect(runs).toBeGreaterThanOrEqual(3);
    const cards = await fixture.cards.byIds(admin(tenantId), ['x', 'y']);
    expect([...cards.values()].map((card) => card.notes)).toEqual(['++', '++']);
  });

  test('whose connection broke before COMMIT is run again', async () => {
    let runs = 0;
    const pid = await fixture.database.transaction(async (tx) => {
      const own = await backend((sql) => tx.query(sql));
      runs++;
      if (runs === 1) await terminate(own);
      await tx.execute(Prisma.sql`SELECT 1`);
      return own;
    });
    expect(runs).toBe(2);
    expect(pid).toBeGreaterThan(0);
  });

  test('whose connection broke at COMMIT is not run again: it may have been applied', async () => {
    let runs = 0;
    const work = fixture.database.transaction(async (tx) => {
      runs++;
      await terminate(await backend((sql) => tx.query(sql)));
    });
    await expect(work).rejects.toThrow(UnavailableError);
    expect(runs).toBe(1);
  });

  test('that fails with an error of its own is not run again', async () => {
    let runs = 0;
    const work = fixture.database.transaction(async () => {
      runs++;
      throw new RangeError('a bug');
    });
    await expect(work).rejects.toThrow(RangeError);
    expect(runs).toBe(1);
  });
});
