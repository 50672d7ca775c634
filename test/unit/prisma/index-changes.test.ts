import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresIndexChanges } from '../../../prisma/indexing/index-changes.js';
import type { DirtyCard } from '../../../src/domain/ports/outbox.js';
import { until } from '../../support/until.js';
import { admin, type Fixture, indexEverything, newCard, newTenant, openFixture } from './fixture.js';

let fixture: Fixture;
let changes: PostgresIndexChanges;
let tenantId: string;
beforeAll(async () => {
  fixture = await openFixture({ beside: true });
  changes = new PostgresIndexChanges(fixture.database, fixture.url);
});
afterAll(() => fixture.close());
beforeEach(() => {
  tenantId = newTenant();
});

async function liveGeneration(): Promise<number> {
  const {
    generation: { number },
  } = await fixture.ledger.startGeneration(tenantId, 'm');
  await fixture.ledger.promote(tenantId, number);
  return number;
}

describe('the changes since a position', () => {
  test('list each card that was indexed or removed, with its version and its revision in the live index', async () => {
    const viewer = admin(tenantId);
    const generation = await liveGeneration();
    const before = await changes.position();
    const card = await fixture.cards.create(viewer, newCard({ id: 'kept' }));
    await fixture.cards.create(viewer, newCard({ id: 'gone' }));
    await indexEverything(fixture, [generation]);
    await fixture.cards.delete(viewer, 'gone');
    const { cards } = await changes.since(before);
    const version = { revision: 1, updatedAtMs: card.updatedAt.getTime() };
    expect(cards.toSorted((a, b) => (a.cardId < b.cardId ? -1 : 1))).toMatchObject([
      { tenantId, cardId: 'gone', version: null, generation, indexedRevision: 1 },
      { tenantId, cardId: 'kept', version, generation, indexedRevision: 1 },
    ]);
    await indexEverything(fixture, [generation]);
    const after = await changes.since(before);
    expect(after.cards.find(({ cardId }) => cardId === 'gone')).toMatchObject({ version: null, indexedRevision: null });
    // Repeated until every running transaction of the server has ended.
    let { position } = after;
    const nothingNew = async (): Promise<boolean> => {
      const next = await changes.since(position);
      position = next.position;
      return next.cards.length === 0;
    };
    await until(nothingNew, { deadlineMs: 30_000, what: 'no change to be repeated' });
  });

  test('include those of transactions that began before the position was taken and committed after it', async () => {
    const number = await liveGeneration();
    await fixture.cards.create(admin(tenantId), newCard({ id: 'late' }));
    const mark = (id: string): Prisma.Sql => Prisma.sql`
      INSERT INTO index_change (tenant_id, card_id) VALUES (${tenantId}, ${id})`;
    let position = await changes.position();
    await fixture.database.transaction(async (tx) => {
      await tx.execute(mark('slow'));
      // Others begin and commit meanwhile: the positions must not pass the running one.
      for (let turn = 0; turn < 3; turn++) {
        await indexEverything(fixture, [number]);
        await fixture.database.execute(mark(`quick ${turn}`));
        const seen = await changes.since(position);
        const ids = seen.cards.map(({ cardId }) => cardId);
        expect(ids).toContain(`quick ${turn}`);
        expect(ids).not.toContain('slow');
        position = seen.position;
      }
    });
    const seen = await changes.since(position);
    expect(seen.cards.map(({ cardId }) => cardId)).toContain('slow');
  });

  test('leave out rows restored from a backup of another server, whose transaction numbers were higher', async () => {
    const before = await changes.position();
    await fixture.database.execute(Prisma.sql`
      INSERT INTO index_change (tenant_id, card_id, transaction, deleted_revision)
      VALUES (${tenantId}, 'restored', pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 1000000, 3),
        (${tenantId}, 'own', DEFAULT, 3)`);
    // A transaction that runs elsewhere on the server holds positions back: earlier changes may be seen again.
    const seen = (await changes.since(before)).cards.map(({ cardId }) => cardId);
    expect(seen).toContain('own');
    expect(seen).not.toContain('restored');
  });

  test('are deleted when they are old, except the revisions of deleted cards', async () => {
    const generation = await liveGeneration();
    const viewer = admin(tenantId);
    const before = await changes.position();
    for (const id of ['kept', 'gone']) await fixture.cards.create(viewer, newCard({ id }));
    await indexEverything(fixture, [generation]);
    await fixture.cards.delete(viewer, 'gone');
    await indexEverything(fixture, [generation]);
    await changes.forget(3_600_000);
    // Earlier changes too may be listed again while another transaction of the server runs.
    const idsSince = async () => (await changes.since(before)).cards.map(({ cardId }) => cardId);
    expect(await idsSince()).toEqual(expect.arrayContaining(['kept', 'gone']));
    await until(
      async () => {
        await changes.forget(0);
        return !(await idsSince()).includes('kept');
      },
      { deadlineMs: 30_000, what: 'a millisecond to pass' },
    );
    expect(await idsSince()).toContain('gone');
    expect((await fixture.cards.create(viewer, newCard({ id: 'gone' }))).revision).toBe(2);
  });
});

describe('listening', () => {
  test('calls back once it listens and for each change of its own schema, and ends with its signal', async () => {
    const generation = await liveGeneration();
    // Notifications of other tests must not count.
    await indexEverything(fixture, []);
    const foreign = await openFixture({ beside: true });
    const leaving = new AbortController();
    let heard = 0;
    const listening = changes.listen(() => {
      heard += 1;
    }, leaving.signal);
    await until(() => heard === 1, { deadlineMs: 30_000, what: 'the listening to begin' });
    try {
      await foreign.cards.create(admin(tenantId), newCard());
      await indexEverything(foreign, []);
    } finally {
      await foreign.close();
    }
    await fixture.cards.create(admin(tenantId), newCard());
    await indexEverything(fixture, [generation]);
    await until(() => heard > 1, { deadlineMs: 30_000, what: 'the notification of the change' });
    expect(heard).toBe(2);
    leaving.abort();
    await listening;
  });

  test('calls back for claims that another gateway releases, and for any notification', async () => {
    await indexEverything(fixture, []);
    const leaving = new AbortController();
    let heard = 0;
    const listening = changes.listen(() => {
      heard += 1;
    }, leaving.signal);
    await until(() => heard === 1, { deadlineMs: 30_000, what: 'the listening to begin' });
    await fixture.cards.create(admin(tenantId), newCard());
    await fixture.outbox.release(await fixture.outbox.claim(1, 60_000));
    await until(() => heard === 2, { deadlineMs: 30_000, what: 'the notification of the card' });
    await changes.notify();
    await until(() => heard === 3, { deadlineMs: 30_000, what: 'the notification' });
    leaving.abort();
    await listening;
  });

  test('calls back for a card that was given up, and for a promoted generation', async () => {
    const leaving = new AbortController();
    let heard = 0;
    const listening = changes.listen(() => {
      heard += 1;
    }, leaving.signal);
    await until(() => heard === 1, { deadlineMs: 30_000, what: 'the listening to begin' });
    await fixture.cards.create(admin(newTenant()), newCard());
    const [claim] = await fixture.outbox.claim(1, 60_000);
    await fixture.outbox.fail(claim as DirtyCard, 'it cannot be embedded', null);
    await until(() => heard === 2, { deadlineMs: 30_000, what: 'the notification of the card' });
    const empty = newTenant();
    const { generation } = await fixture.ledger.startGeneration(empty, 'builtin');
    expect(heard).toBe(2);
    expect(await fixture.ledger.promote(empty, generation.number)).toBe(true);
    await until(() => heard === 3, { deadlineMs: 30_000, what: 'the notification of the generation' });
    leaving.abort();
    await listening;
  });

  test('fails as an outage when the server cuts the connection', async () => {
    const named = new URL(fixture.url);
    named.searchParams.set('application_name', fixture.schema);
    const leaving = new AbortController();
    let begun = false;
    const listening = new PostgresIndexChanges(fixture.database, named.href).listen(() => {
      begun = true;
    }, leaving.signal);
    const failing = expect(listening).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await until(() => begun, { deadlineMs: 30_000, what: 'the listening to begin' });
    const cut = await fixture.database.query(Prisma.sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = ${fixture.schema}`);
    expect(cut).toHaveLength(1);
    await failing;
  });
});
