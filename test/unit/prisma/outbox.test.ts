import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresIndexAudit } from '../../../prisma/indexing/audit.js';
import { DirtySignal, markDirty } from '../../../prisma/indexing/dirty.js';
import { PostgresOutbox } from '../../../prisma/indexing/outbox.js';
import { TableStatistics } from '../../../prisma/indexing/statistics.js';
import type { DirtyCard } from '../../../src/domain/ports/outbox.js';
import { until } from '../../support/until.js';
import { admin, dirtyRows, type Fixture, indexedCard, newCard, newTenant, openFixture } from './fixture.js';

const LEASE_MS = 60_000;

let fixture: Fixture;
let tenantId: string;
let generation: number;

beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

beforeEach(async () => {
  // The outbox is one for all tenants: each test starts with an empty one.
  await fixture.database.execute(Prisma.sql`DELETE FROM index_dirty`);
  tenantId = newTenant();
  generation = (await fixture.ledger.startGeneration(tenantId, 'model-a')).generation.number;
});

const viewer = () => admin(tenantId);

async function create(id: string): Promise<void> {
  await fixture.cards.create(viewer(), newCard({ id }));
}

async function claimOne(): Promise<DirtyCard> {
  const [claim] = await fixture.outbox.claim(1, LEASE_MS);
  if (claim === undefined) throw new Error('nothing was due');
  return claim;
}

/** Expires the lease: the database's clock cannot be changed. */
async function expireLeases(): Promise<void> {
  await fixture.database.execute(
    Prisma.sql`UPDATE index_dirty SET lease = now() - interval '1 second' WHERE lease > now()`,
  );
}

/** How many statements on this schema's outbox wait for a lock. */
async function waitingForLocks(): Promise<number> {
  const [waiting] = await fixture.database.query<{ count: number }>(Prisma.sql`
    SELECT count(*)::int AS count FROM pg_stat_activity a
    WHERE a.wait_event_type = 'Lock' AND EXISTS (
      SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.relation = 'index_dirty'::regclass)`);
  return waiting?.count ?? 0;
}

const outcome = (revision: number) => [{ generation, indexed: indexedCard(revision) }];
const row = async (id: string) => (await dirtyRows(fixture, tenantId)).get(id);
const indexedRevision = async (id: string) =>
  (await fixture.ledger.indexed(tenantId, generation, [id])).get(id)?.revision;

describe('after some hundred indexed cards', () => {
  test('PostgreSQL knows the cards of each new school, without which it counts them by nested loops', async () => {
    const own = await openFixture();
    const indexSome = async (school: string, cards: number): Promise<void> => {
      const { number } = (await own.ledger.startGeneration(school, 'model-a')).generation;
      await own.database.execute(Prisma.sql`
        INSERT INTO index_dirty (tenant_id, card_id)
        SELECT ${school}, gen_random_uuid()::text FROM generate_series(1, ${cards}) n`);
      const outcomes = [{ generation: number, indexed: indexedCard(1) }];
      const claims = await own.outbox.claim(cards, LEASE_MS);
      await own.outbox.done(claims.map((claim) => ({ claim, outcomes })));
    };
    const isKnown = async (school: string): Promise<boolean> => {
      const [found] = await own.database.query(Prisma.sql`
        SELECT 1 FROM pg_stats
        WHERE schemaname = current_schema() AND tablename = 'card_index' AND attname = 'tenant_id'
          AND ${school} = ANY (most_common_vals::text::text[])`);
      return found !== undefined;
    };
    try {
      for (const school of [newTenant(), newTenant()]) {
        for (const cards of [150, 150]) await indexSome(school, cards);
        // Not more often than costs a twentieth of the time, and only after a batch.
        const known = async (): Promise<boolean> => {
          await indexSome(school, 1);
          return isKnown(school);
        };
        await until(known, { deadlineMs: 30_000, what: 'statistics of the school' });
      }
    } finally {
      await own.close();
    }
  });
});

describe('statistics of tables', () => {
  test('do not delay a batch, however long a lock keeps them', async () => {
    const own = await openFixture();
    try {
      const { number } = (await own.ledger.startGeneration(tenantId, 'model-a')).generation;
      await own.database.execute(Prisma.sql`
        INSERT INTO index_dirty (tenant_id, card_id)
        SELECT ${tenantId}, gen_random_uuid()::text FROM generate_series(1, 300) n`);
      const claims = await own.outbox.claim(300, LEASE_MS);
      const outcomes = [{ generation: number, indexed: indexedCard(1) }];
      await own.database.transaction(async (tx) => {
        await tx.execute(Prisma.sql`LOCK TABLE card IN SHARE UPDATE EXCLUSIVE MODE`);
        await own.outbox.done(claims.map((claim) => ({ claim, outcomes })));
      });
      expect((await own.outbox.backlog()).waiting).toBe(0);
    } finally {
      await own.close();
    }
  });

  test('that fail are logged, and gathered again a minute later at the earliest', async () => {
    const said: string[] = [];
    let asked = 0;
    const execute = async (): Promise<number> => {
      asked += 1;
      throw new Error('canceling statement due to statement timeout');
    };
    const statistics = new TableStatistics({ execute }, { warn: (_facts, message) => void said.push(message) });
    for (let batch = 0; batch < 3; batch++) {
      statistics.indexed(Array.from({ length: 300 }, () => 'a school'));
      await statistics.close();
    }
    expect([asked, said]).toEqual([1, ['statistics of tables could not be gathered; it will be retried']]);
  });
});

describe('claiming', () => {
  test("a claimed card is not claimed again until its lease ends by the database's clock", async () => {
    await create('a');
    const first = await claimOne();
    expect(first).toMatchObject({ tenantId, cardId: 'a', seq: 1n, attempts: 1 });
    expect(await fixture.outbox.claim(10, LEASE_MS)).toEqual([]);
    await expireLeases();
    const second = await claimOne();
    expect(second).toMatchObject({ cardId: 'a', attempts: 2 });
    expect(second.token).not.toBe(first.token);
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

  test('single changes are claimed before the rows of a rebuild, and a change makes a bulk row a single one', async () => {
    for (const id of ['a', 'b', 'c']) await create(id);
    await fixture.database.execute(Prisma.sql`DELETE FROM index_dirty`);
    await fixture.ledger.startGeneration(tenantId, 'model-b');
    expect((await row('a'))?.bulk).toBe(true);
    await create('d');
    await fixture.cards.update(viewer(), 'b', { difficulty: 1 }, null);
    expect(await row('b')).toMatchObject({ bulk: false, seq: 2n });
    const claims = await fixture.outbox.claim(2, LEASE_MS);
    expect(claims.map((claim) => claim.cardId).sort()).toEqual(['b', 'd']);
    expect(await fixture.outbox.claim(10, LEASE_MS)).toHaveLength(2);
  });

  test('a tenant can be left out, whose cards stay due', async () => {
    await create('a');
    expect(await fixture.outbox.claim(10, LEASE_MS, ['another', tenantId])).toEqual([]);
    expect(await fixture.outbox.claim(10, LEASE_MS, ['another'])).toHaveLength(1);
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
    expect(await fixture.outbox.nextDueMs([tenantId])).toBe(Number.POSITIVE_INFINITY);
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

describe('completing', () => {
  test('a completed card is recorded with its passages and is no longer dirty', async () => {
    await create('a');
    await fixture.outbox.done([{ claim: await claimOne(), outcomes: outcome(1) }]);
    expect(await row('a')).toBeUndefined();
    expect((await fixture.ledger.indexed(tenantId, generation, ['a'])).get('a')).toEqual(indexedCard(1));
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
    await audit.mark(tenantId, ['a', 'b']);
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
    await fixture.outbox.done([{ claim: await claimOne(), outcomes: [{ generation, indexed: null }] }]);
    expect(await indexedRevision('a')).toBeUndefined();
    expect(await row('a')).toBeUndefined();
  });

  test('an outcome for a dropped generation is ignored', async () => {
    await create('a');
    const claim = await claimOne();
    await fixture.ledger.dropGeneration(tenantId, generation);
    await fixture.outbox.done([{ claim, outcomes: outcome(1) }]);
    expect(await indexedRevision('a')).toBeUndefined();
    expect(await row('a')).toBeUndefined();
  });

  test('a change that commits while its completion waits for it keeps the card dirty', async () => {
    await create('a');
    const claim = await claimOne();
    let completing: Promise<void> | undefined;
    await fixture.database.transaction(async (tx) => {
      await markDirty(tx, { tenantId, id: 'a' });
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

describe('failing and releasing', () => {
  test('a failed card waits, keeps its error, and is due again after the delay', async () => {
    await create('a');
    await fixture.outbox.fail(await claimOne(), 'the model was busy', 3_600_000.5);
    expect(await row('a')).toMatchObject({ error: 'the model was busy', leased: false, dead: false, attempts: 1 });
    expect(await fixture.outbox.claim(10, LEASE_MS)).toEqual([]);
    const late = { tenantId, cardId: 'a', seq: 1n, token: crypto.randomUUID(), attempts: 1, ledgerIsRight: true };
    await fixture.outbox.fail(late, 'late', 0);
    expect(await row('a')).toMatchObject({ error: 'the model was busy' });
    await fixture.database.execute(Prisma.sql`UPDATE index_dirty SET next_at = now()`);
    expect(await claimOne()).toMatchObject({ attempts: 2 });
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
