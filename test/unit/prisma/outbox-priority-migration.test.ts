import { expect, test } from 'vitest';
import { beforeMigration } from './before-migration.js';

const { client, migrateRest } = await beforeMigration('20261201040000_outbox_priority');

test('waiting cards keep their order and claims, and the index from which they are claimed', async () => {
  await client.query(`
    INSERT INTO index_dirty (tenant_id, card_id, bulk, seq, lease, token) VALUES
      ('t', 'changed', false, 1, NULL, NULL), ('t', 'rebuilt', true, 2, now(), gen_random_uuid())`);
  const kept = 'SELECT card_id, seq, lease, token, next_at, dead FROM index_dirty ORDER BY card_id';
  const { rows: before } = await client.query(kept);

  await migrateRest();

  expect((await client.query(kept)).rows).toEqual(before);
  await client.query(`INSERT INTO index_dirty (tenant_id, card_id) VALUES ('t', 'new')`);
  const { rows } = await client.query('SELECT card_id, priority FROM index_dirty ORDER BY card_id');
  expect(rows).toEqual([
    { card_id: 'changed', priority: 0 },
    { card_id: 'new', priority: 0 },
    { card_id: 'rebuilt', priority: 2 },
  ]);
  const { rows: indexes } = await client.query(
    `SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND indexname = 'index_dirty_due_idx'`,
  );
  expect(indexes).toEqual([{ indexdef: expect.stringMatching(/\(priority, next_at\) WHERE \(NOT dead\)$/) }]);
});
