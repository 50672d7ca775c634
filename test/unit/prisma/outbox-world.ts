import { afterAll, beforeEach } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import type { DirtyCard, IndexedOutcome } from '../../../src/domain/ports/outbox.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import {
  admin,
  type DirtyRow,
  dirtyRows,
  type Fixture,
  indexedCard,
  newCard,
  newTenant,
  openFixture,
} from './fixture.js';

export const LEASE_MS = 60_000;

export interface OutboxWorld {
  readonly fixture: Fixture;
  /** Of the running test. */
  readonly tenantId: string;
  readonly generation: number;
  viewer(): Viewer;
  create(id: string): Promise<void>;
  claimOne(): Promise<DirtyCard>;
  /** Expires the lease: the database's clock cannot be changed. */
  expireLeases(): Promise<void>;
  /** How many statements on this schema's outbox wait for a lock. */
  waitingForLocks(): Promise<number>;
  /** The outcome of a card that was indexed with this revision. */
  outcome(revision: number): readonly IndexedOutcome[];
  row(id: string): Promise<DirtyRow | undefined>;
  indexedRevision(id: string): Promise<number | undefined>;
}

/** The outbox of a test file; each test starts with an empty one and a tenant of its own. */
export async function outboxWorld(): Promise<OutboxWorld> {
  const fixture = await openFixture();
  afterAll(() => fixture.close());
  let tenantId = '';
  let generation = 0;
  beforeEach(async () => {
    // The outbox is one for all tenants.
    await fixture.database.execute(Prisma.sql`DELETE FROM index_dirty`);
    tenantId = newTenant();
    generation = (await fixture.ledger.startGeneration(tenantId, 'model-a')).generation.number;
  });
  const viewer = () => admin(tenantId);
  return {
    fixture,
    get tenantId() {
      return tenantId;
    },
    get generation() {
      return generation;
    },
    viewer,
    async create(id) {
      await fixture.cards.create(viewer(), newCard({ id }));
    },
    async claimOne() {
      const [claim] = await fixture.outbox.claim(1, LEASE_MS);
      if (claim === undefined) throw new Error('nothing was due');
      return claim;
    },
    async expireLeases() {
      await fixture.database.execute(
        Prisma.sql`UPDATE index_dirty SET lease = now() - interval '1 second' WHERE lease > now()`,
      );
    },
    async waitingForLocks() {
      const [waiting] = await fixture.database.query<{ count: number }>(Prisma.sql`
        SELECT count(*)::int AS count FROM pg_stat_activity a
        WHERE a.wait_event_type = 'Lock' AND EXISTS (
          SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.relation = 'index_dirty'::regclass)`);
      return waiting?.count ?? 0;
    },
    outcome: (revision) => [{ generation, indexed: indexedCard(revision) }],
    row: async (id) => (await dirtyRows(fixture, tenantId)).get(id),
    indexedRevision: async (id) => (await fixture.ledger.indexed(tenantId, generation, [id])).get(id)?.revision,
  };
}
