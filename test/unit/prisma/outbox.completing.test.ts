import { describe, expect, test } from 'vitest';
import { PostgresIndexAudit } from '../../../prisma/indexing/audit.js';
import { DirtySignal, markCards } from '../../../prisma/indexing/dirty.js';
import type { DirtyCard } from '../../../src/domain/ports/outbox.js';
import { until } from '../../support/until.js';
import { indexedCard } from './fixture.js';
import { LEASE_MS, outboxWorld } from './outbox-world.js';

const world = await outboxWorld();
const { fixture, create, claimOne, expireLeases, viewer, waitingForLocks, outcome, row, indexedRevision } = world;

describe('completing', () => {
  test('a completed card is recorded with its passages and is no longer dirty', async () => {
    await create('a');
    await fixture.outbox.done([{ claim: await claimOne(), outcomes: outcome(1) }]);
    expect(await row('a')).toBeUndefined();
    expect((await fixture.ledger.indexed(world.tenantId, world.generation, ['a'])).get('a')).toEqual(indexedCard(1));
  });

  test('one statement completes a batch, each card by its own outcome', async () => {
    for (const id of ['ok', 'newer', 'lost', 'gone']) await create(id);
    const claims = new Map((await fixture.outbox.claim(10, LEASE_MS)).map((claim) => [claim.cardId, claim]));
    const claimOf = (id: string): DirtyCard => {
      const claim = claims.get(id);
      if (claim === undefined) throw new Error(`${id} was not claimed`);
      return claim;
    };
    await fixture.cards.update(viewer(), 'newer', { difficulty: 1 }, null);
    await fixture.cards.delete(viewer(), 'gone');
    const results = ['ok', 'newer', 'gone'].map((id) => ({ claim: claimOf(id), outcomes: outcome(1) }));
    const stale = { claim: { ...claimOf('lost'), token: claimOf('ok').token }, outcomes: outcome(1) };
    await fixture.outbox.done([...results, stale]);
    expect(await row('ok')).toBeUndefined();
    expect(await row('newer')).toMatchObject({ seq: 2n, leased: false });
    expect(await row('gone')).toMatchObject({ seq: 2n, leased: false });
    expect(await row('lost')).toMatchObject({ seq: 2n, leased: true });
    expect(await indexedRevision('ok')).toBe(1);
    expect(await indexedRevision('newer')).toBe(1);
    expect(await indexedRevision('lost')).toBeUndefined();
  });

  test('a card that changes while it is indexed stays dirty and is free at once', async () => {
    await create('a');
    const claim = await claimOne();
    await fixture.cards.update(viewer(), 'a', { difficulty: 1 }, null);
    let woken = 0;
    const stop = fixture.outbox.onDirty(() => {
      woken++;
    });
    await fixture.outbox.done([{ claim, outcomes: outcome(1) }]);
    stop();
    expect(woken).toBe(1);
    const again = await claimOne();
    expect(again).toMatchObject({ cardId: 'a', seq: 2n, attempts: 1 });
    await fixture.outbox.done([{ claim: again, outcomes: outcome(2) }]);
    expect(await row('a')).toBeUndefined();
    expect(await indexedRevision('a')).toBe(2);
  });

  test('the ledger is right about a card until it is claimed, and again once it is indexed', async () => {
    await create('a');
    expect(await claimOne()).toMatchObject({ ledgerIsRight: true });
    await expireLeases();
    const second = await claimOne();
    expect(second).toMatchObject({ ledgerIsRight: false });
    await fixture.outbox.release([second]);
    const third = await claimOne();
    expect(third).toMatchObject({ attempts: second.attempts, ledgerIsRight: false });
    await fixture.cards.update(viewer(), 'a', { difficulty: 1 }, null);
    await fixture.outbox.done([{ claim: third, outcomes: outcome(1) }]);
    const fourth = await claimOne();
    expect(fourth).toMatchObject({ ledgerIsRight: false });
    await fixture.outbox.done([{ claim: fourth, outcomes: outcome(2) }]);
    await fixture.cards.update(viewer(), 'a', { difficulty: 2 }, null);
    expect(await claimOne()).toMatchObject({ ledgerIsRight: true });
  });

  test('the ledger is not right about a card in which reconciliation has found a difference', async () => {
    const audit = new PostgresIndexAudit(fixture.database, new DirtySignal());
    await create('a');
    await audit.mark(world.tenantId, ['a', 'b']);
    const claims = await fixture.outbox.claim(10, LEASE_MS);
    expect(claims.map(({ cardId, ledgerIsRight }) => [cardId, ledgerIsRight]).sort()).toEqual([
      ['a', false],
      ['b', false],
    ]);
  });

  test("a replaced claim cannot complete its successor's, and the card is indexed once more", async () => {
    await create('a');
    const zombie = await claimOne();
    await expireLeases();
    const successor = await claimOne();
    await fixture.outbox.done([{ claim: zombie, outcomes: outcome(7) }]);
    expect(await row('a')).toMatchObject({ seq: 2n, leased: true });
    expect(await indexedRevision('a')).toBeUndefined();
    await fixture.outbox.done([{ claim: successor, outcomes: outcome(1) }]);
    expect(await row('a')).toMatchObject({ seq: 2n, leased: false });
  });

  test('a replaced claim that completes after its successor makes the card dirty again', async () => {
    await create('a');
    const zombie = await claimOne();
    await expireLeases();
    await fixture.outbox.done([{ claim: await claimOne(), outcomes: outcome(1) }]);
    expect(await row('a')).toBeUndefined();
    await fixture.outbox.done([{ claim: zombie, outcomes: outcome(1) }]);
    expect(await row('a')).toMatchObject({ leased: false, dead: false });
    expect(await claimOne()).toMatchObject({ ledgerIsRight: false });
  });

  test('an expired claim that was not replaced still completes', async () => {
    await create('a');
    const claim = await claimOne();
    await expireLeases();
    await fixture.outbox.done([{ claim, outcomes: outcome(1) }]);
    expect(await row('a')).toBeUndefined();
  });

  test("the ledger's row of a deleted card is deleted only after the index has removed its records", async () => {
    await create('a');
    await fixture.outbox.done([{ claim: await claimOne(), outcomes: outcome(1) }]);
    await fixture.cards.delete(viewer(), 'a');
    expect(await indexedRevision('a')).toBe(1);
    await fixture.outbox.done([
      { claim: await claimOne(), outcomes: [{ generation: world.generation, indexed: null }] },
    ]);
    expect(await indexedRevision('a')).toBeUndefined();
    expect(await row('a')).toBeUndefined();
  });

  test('an outcome for a dropped generation is ignored', async () => {
    await create('a');
    const claim = await claimOne();
    await fixture.ledger.dropGeneration(world.tenantId, world.generation);
    await fixture.outbox.done([{ claim, outcomes: outcome(1) }]);
    expect(await indexedRevision('a')).toBeUndefined();
    expect(await row('a')).toBeUndefined();
  });

  test('a change that commits while its completion waits for it keeps the card dirty', async () => {
    await create('a');
    const claim = await claimOne();
    let completing: Promise<void> | undefined;
    await fixture.database.transaction(async (tx) => {
      await markCards(tx, world.tenantId, ['a'], { bulk: false });
      completing = fixture.outbox.done([{ claim, outcomes: outcome(1) }]);
      await until(async () => (await waitingForLocks()) > 0, { deadlineMs: 30_000, what: 'the completion to wait' });
    });
    await completing;
    expect(await row('a')).toMatchObject({ seq: 2n, leased: false });
    expect(await indexedRevision('a')).toBe(1);
  });

  test('completing concurrently with changes to the same card never loses a change', async () => {
    await create('a');
    for (let round = 1; round <= 40; round++) {
      const claim = await claimOne();
      await Promise.all([
        fixture.outbox.done([{ claim, outcomes: outcome(round) }]),
        fixture.cards.update(viewer(), 'a', { notes: `round ${round}` }, null),
      ]);
      // Whichever came first, the change is still to be indexed, and the row is free.
      expect(await row('a')).toMatchObject({ leased: false, dead: false });
    }
  });
});
