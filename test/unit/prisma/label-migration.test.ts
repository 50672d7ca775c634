import { expect, test } from 'vitest';
import { beforeMigration } from './before-migration.js';

const { client, migrateRest } = await beforeMigration('20261122215500_labels');

test('stored labels, subjects and grades that differ in spelling alone become one, and their cards are indexed again', async () => {
  await client.query(`
    INSERT INTO card (tenant_id, id, owner_id, subject, grade, difficulty, question_text, occurred_at) VALUES
      ('t', 'a', 'o', '数学', '五年级', 1, 'q', now()), ('t', 'b', 'o', 'math', 'G5', 1, 'q', now()),
      ('t', 'c', 'o', 'Ｍaths', NULL, 1, 'q', now()), ('t', 'd', 'o', 'math', 'G5', 1, 'q', now());
    INSERT INTO topic_tag (tenant_id, name)
      SELECT 't', name FROM unnest(ARRAY['Fractions', 'ｆractions ', 'FRACTIONS', 'other']) AS given (name);
    INSERT INTO card_topic_tag (tenant_id, card_id, topic_tag_id, position)
      SELECT 't', said.card, t.id, said.position FROM (VALUES
        ('a', 'FRACTIONS', 1), ('a', 'other', 2), ('a', 'ｆractions ', 3), ('b', 'ｆractions ', 1), ('d', 'Fractions', 1)
      ) AS said (card, name, position) JOIN topic_tag t ON t.name = said.name`);
  await migrateRest();
  const { rows } = await client.query(`
    SELECT c.id, c.subject, c.grade, c.revision, d.card_id IS NOT NULL AS dirty,
      ARRAY(SELECT t.name FROM card_topic_tag l JOIN topic_tag t ON t.tenant_id = l.tenant_id AND t.id = l.topic_tag_id
        WHERE l.card_id = c.id ORDER BY l.position) AS tags
    FROM card c LEFT JOIN index_dirty d ON d.tenant_id = c.tenant_id AND d.card_id = c.id ORDER BY c.id`);
  expect(rows).toEqual([
    { id: 'a', subject: 'math', grade: 'G5', revision: 2, dirty: true, tags: ['Fractions', 'other'] },
    { id: 'b', subject: 'math', grade: 'G5', revision: 2, dirty: true, tags: ['Fractions'] },
    { id: 'c', subject: 'math', grade: null, revision: 2, dirty: true, tags: [] },
    { id: 'd', subject: 'math', grade: 'G5', revision: 1, dirty: false, tags: ['Fractions'] },
  ]);
  const labels = await client.query('SELECT key FROM topic_tag ORDER BY key');
  expect(labels.rows).toEqual([{ key: 'fractions' }, { key: 'other' }]);
});
