import { describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { TableStatistics } from '../../../prisma/indexing/statistics.js';
import { until } from '../../support/until.js';
import { indexedCard, newTenant, openFixture } from './fixture.js';

const LEASE_MS = 60_000;

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
    const school = newTenant();
    try {
      const { number } = (await own.ledger.startGeneration(school, 'model-a')).generation;
      await own.database.execute(Prisma.sql`
        INSERT INTO index_dirty (tenant_id, card_id)
        SELECT ${school}, gen_random_uuid()::text FROM generate_series(1, 300) n`);
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
