import { describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresOutbox } from '../../../prisma/indexing/outbox.js';
import { PRIORITY } from '../../../src/domain/ports/outbox.js';
import { LEASE_MS, outboxWorld } from './outbox-world.js';

const world = await outboxWorld();
const { fixture, create, claimOne, expireLeases, viewer, row } = world;

describe('failing and releasing', () => {
  test('a failed card waits, keeps its error, and is due again after the delay', async () => {
    await create('a');
    await fixture.outbox.fail(await claimOne(), 'the model was busy', 3_600_000.5);
    expect(await row('a')).toMatchObject({ error: 'the model was busy', leased: false, dead: false, attempts: 1 });
    expect(await fixture.outbox.claim(10, LEASE_MS)).toEqual([]);
    const late = {
      tenantId: world.tenantId,
      cardId: 'a',
      seq: 1n,
      token: crypto.randomUUID(),
      priority: PRIORITY.change,
      attempts: 1,
      ledgerIsRight: true,
    };
    await fixture.outbox.fail(late, 'late', 0);
    expect(await row('a')).toMatchObject({ error: 'the model was busy' });
    await fixture.database.execute(Prisma.sql`UPDATE index_dirty SET next_at = now()`);
    expect(await claimOne()).toMatchObject({ attempts: 2 });
  });

  test('a card waits whatever its error quotes, such as the answer of an embedding endpoint', async () => {
    await create('a');
    await fixture.outbox.fail(await claimOne(), 'the endpoint answered 400: \0 \ud835', 3_600_000);
    expect(await row('a')).toMatchObject({ error: 'the endpoint answered 400: \ufffd \ufffd', leased: false });
  });

  test('a card that was given up is not claimed until it changes, and then starts with no attempts', async () => {
    await create('a');
    await fixture.outbox.fail(await claimOne(), 'poison', null);
    expect(await row('a')).toMatchObject({ dead: true, error: 'poison' });
    expect(await fixture.outbox.claim(10, LEASE_MS)).toEqual([]);
    await fixture.cards.update(viewer(), 'a', { difficulty: 1 }, null);
    expect(await row('a')).toMatchObject({ dead: false, error: null, attempts: 0 });
    expect(await claimOne()).toMatchObject({ cardId: 'a', attempts: 1 });
  });

  test('a failure does not count against a change made meanwhile', async () => {
    await create('a');
    const claim = await claimOne();
    await fixture.cards.update(viewer(), 'a', { difficulty: 1 }, null);
    await fixture.outbox.fail(claim, 'poison', null);
    expect(await row('a')).toMatchObject({ dead: false, error: null, leased: false });
    expect(await claimOne()).toMatchObject({ cardId: 'a', seq: 2n });
  });

  test("a replaced claim can neither fail nor release its successor's", async () => {
    await create('a');
    const zombie = await claimOne();
    await expireLeases();
    await claimOne();
    await fixture.outbox.fail(zombie, 'late', null);
    await fixture.outbox.release([zombie]);
    expect(await row('a')).toMatchObject({ leased: true, dead: false, error: null, attempts: 2 });
  });

  test('released claims are due at once, and the attempt is not counted', async () => {
    for (const id of ['a', 'b', 'c']) await create(id);
    await fixture.outbox.release(await fixture.outbox.claim(10, LEASE_MS));
    const again = await fixture.outbox.claim(10, LEASE_MS);
    expect(again.map((claim) => [claim.cardId, claim.attempts]).sort()).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]);
  });

  test('all claims of all gateways can be released at once, or those of gateways that were killed', async () => {
    const outboxOf = (holder: string) =>
      new PostgresOutbox(fixture.database, fixture.dirty, holder, { indexed: () => undefined });
    for (const id of ['a', 'b', 'c']) await create(id);
    for (const holder of ['killed', 'running', 'killed']) await outboxOf(holder).claim(1, LEASE_MS);
    await fixture.outbox.releaseOf([]);
    expect(await fixture.outbox.claim(10, LEASE_MS)).toEqual([]);
    await fixture.outbox.releaseOf(['killed', 'unknown']);
    expect((await fixture.outbox.claim(10, LEASE_MS)).map((claim) => claim.attempts)).toEqual([1, 1]);
    await fixture.outbox.releaseOf('everyone');
    expect((await fixture.outbox.claim(10, LEASE_MS)).map((claim) => claim.attempts)).toEqual([1, 1, 1]);
  });
});
