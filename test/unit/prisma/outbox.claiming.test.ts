import { describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { markCards } from '../../../prisma/indexing/dirty.js';
import { PRIORITY } from '../../../src/domain/ports/outbox.js';
import { admin, newCard, newTenant } from './fixture.js';
import { LEASE_MS, outboxWorld } from './outbox-world.js';

const world = await outboxWorld();
const { fixture, create, claimOne, expireLeases, viewer, outcome, row } = world;

describe('claiming', () => {
  test("a claimed card is not claimed again until its lease ends by the database's clock", async () => {
    await create('a');
    const first = await claimOne();
    expect(first).toMatchObject({ tenantId: world.tenantId, cardId: 'a', seq: 1n, attempts: 1 });
    expect(await fixture.outbox.claim(10, LEASE_MS)).toEqual([]);
    await expireLeases();
    const second = await claimOne();
    expect(second).toMatchObject({ cardId: 'a', attempts: 2 });
    expect(second.token).not.toBe(first.token);
  });

  test('a claim can be prolonged, also after its lease, unless the card was claimed again', async () => {
    await create('a');
    const first = await claimOne();
    await expireLeases();
    await fixture.outbox.prolong([first], LEASE_MS);
    expect(await fixture.outbox.claim(10, LEASE_MS)).toEqual([]);
    await expireLeases();
    const second = await claimOne();
    await expireLeases();
    await fixture.outbox.prolong([first], LEASE_MS);
    expect((await claimOne()).attempts).toBe(second.attempts + 1);
  });

  test('simultaneous claims get disjoint cards', async () => {
    for (let index = 0; index < 40; index++) await create(`c${index}`);
    const claims = await Promise.all(Array.from({ length: 8 }, () => fixture.outbox.claim(10, LEASE_MS)));
    const ids = claims.flat().map((claim) => claim.cardId);
    expect(ids).toHaveLength(new Set(ids).size);
    expect(new Set(claims.flat().map((claim) => claim.token)).size).toBe(ids.length);
    const rest = await fixture.outbox.claim(100, LEASE_MS);
    expect(ids.length + rest.length).toBe(40);
  });

  test('single changes are claimed before imported cards, and these before those of an older rebuild of any tenant, or the other way round', async () => {
    const other = newTenant();
    await fixture.cards.create(admin(other), newCard({ id: 'other' }));
    for (const id of ['rebuilt', 'imported', 'changed']) await create(id);
    await fixture.database.execute(Prisma.sql`DELETE FROM index_dirty`);
    for (const tenantId of [other, world.tenantId]) await fixture.ledger.startGeneration(tenantId, 'model-b');
    expect((await row('imported'))?.priority).toBe(PRIORITY.rebuild);
    await markCards(fixture.database, world.tenantId, ['imported', 'changed'], { bulk: true });
    await fixture.cards.update(viewer(), 'changed', { difficulty: 1 }, null);
    await create('new');
    const prioritiesOf = async () => {
      const rows = ['rebuilt', 'imported', 'changed', 'new'].map(async (id) => (await row(id))?.priority);
      return Promise.all(rows);
    };
    const priorities = [PRIORITY.rebuild, PRIORITY.bulk, PRIORITY.change, PRIORITY.change];
    expect(await prioritiesOf()).toEqual(priorities);
    // Neither another rebuild nor an import delays what was marked before.
    await fixture.ledger.startGeneration(world.tenantId, 'model-c');
    await markCards(fixture.database, world.tenantId, ['changed'], { bulk: true });
    expect(await prioritiesOf()).toEqual(priorities);
    const claimed = async (limit: number, lastFirst = false): Promise<readonly string[]> => {
      const claims = await fixture.outbox.claim(limit, LEASE_MS, { lastFirst });
      if (lastFirst) await fixture.outbox.release(claims);
      return claims.map(({ cardId }) => cardId).sort();
    };
    expect(await claimed(2, true)).toEqual(['other', 'rebuilt']);
    expect(await claimed(3, true)).toEqual(['imported', 'other', 'rebuilt']);
    expect(await claimed(2)).toEqual(['changed', 'new']);
    expect(await claimed(1)).toEqual(['imported']);
    expect(await claimed(10)).toEqual(['other', 'rebuilt']);
  });

  test('a tenant can be left out, whose cards stay due', async () => {
    await create('a');
    expect(await fixture.outbox.claim(10, LEASE_MS, { except: ['another', world.tenantId] })).toEqual([]);
    expect(await fixture.outbox.claim(10, LEASE_MS, { except: ['another'] })).toHaveLength(1);
  });
});

describe('the next due card', () => {
  const nextDueMs = (): Promise<number> => fixture.outbox.nextDueMs();

  test('is now if one is due, at the end of the lease if all are claimed, and never if there is none', async () => {
    expect(await nextDueMs()).toBe(Number.POSITIVE_INFINITY);
    await create('a');
    expect(await nextDueMs()).toBeLessThanOrEqual(1);
    const claim = await claimOne();
    expect(await nextDueMs()).toBeGreaterThan(LEASE_MS / 2);
    expect(await nextDueMs()).toBeLessThanOrEqual(LEASE_MS);
    await create('b');
    expect(await nextDueMs()).toBeLessThanOrEqual(1);
    await fixture.outbox.done([{ claim: await claimOne(), outcomes: outcome(1) }]);
    await expireLeases();
    expect(await nextDueMs()).toBeLessThan(0);
    await fixture.outbox.done([{ claim, outcomes: outcome(1) }]);
    expect(await nextDueMs()).toBe(Number.POSITIVE_INFINITY);
  });

  test('may be asked for without tenants that wait for something else', async () => {
    await create('a');
    expect(await fixture.outbox.nextDueMs([world.tenantId])).toBe(Number.POSITIVE_INFINITY);
    expect(await fixture.outbox.nextDueMs(['another'])).toBeLessThanOrEqual(1);
  });

  test('is the retry of a failed card, and never a card that was given up', async () => {
    await create('a');
    await create('b');
    await fixture.outbox.fail(await claimOne(), 'the model was busy', 3_600_000);
    expect(await nextDueMs()).toBeLessThanOrEqual(1);
    await fixture.outbox.fail(await claimOne(), 'poison', null);
    expect(await nextDueMs()).toBeGreaterThan(1_800_000);
    expect(await nextDueMs()).toBeLessThanOrEqual(3_600_000);
  });
});
