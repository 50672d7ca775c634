import { expect, test } from 'vitest';
import { beforeMigration } from './before-migration.js';

const { client, migrateRest } = await beforeMigration('20261130140000_composed_names');

const COMPOSED = 'Caf\u00e9';
const DECOMPOSED = 'Cafe\u0301';

async function column(statement: string): Promise<readonly unknown[]> {
  return (await client.query({ text: statement, rowMode: 'array' })).rows.flat();
}

test('sources, names and grades are found as they are now read, and their cards are indexed again', async () => {
  const cards = [
    ['a', DECOMPOSED, null],
    ['b', COMPOSED, 'G5'],
    ['c', null, '5.0'],
    ['d', null, '12.00'],
    ['e', null, '13.0'],
    ['f', null, '7.5'],
    ['g', null, null],
  ];
  for (const card of cards) {
    await client.query(
      `INSERT INTO card (tenant_id, id, owner_id, subject, source, grade, difficulty, question_text, occurred_at)
        VALUES ('t', $1, 'o', 'math', $2, $3, 1, 'q', now())`,
      card,
    );
  }
  const groups = [COMPOSED, DECOMPOSED, 'Éva', 'Éva'.normalize('NFD'), 'A\u030a'];
  for (const name of groups) await client.query(`INSERT INTO student_group VALUES ('t', $1, '{amy}')`, [name]);
  await client.query(`INSERT INTO golden_set (tenant_id, name) VALUES ('t', $1)`, [DECOMPOSED]);
  await client.query(
    `INSERT INTO golden_case (tenant_id, set_name, id, operation, query_text, filter) VALUES ('t', $1, '1', 'byError', 'x', '{}')`,
    [DECOMPOSED],
  );
  await client.query(`INSERT INTO search_profile (tenant_id, name, settings) VALUES ('t', $1, '{}')`, [DECOMPOSED]);
  await client.query('DELETE FROM index_dirty');

  await migrateRest();

  const { rows } = await client.query({
    text: 'SELECT id, source, grade, revision FROM card ORDER BY id',
    rowMode: 'array',
  });
  expect(rows).toEqual([
    ['a', COMPOSED, null, 2],
    ['b', COMPOSED, 'G5', 1],
    ['c', null, 'G5', 2],
    ['d', null, 'G12', 2],
    ['e', null, '13.0', 1],
    ['f', null, '7.5', 1],
    ['g', null, null, 1],
  ]);
  expect(await column('SELECT card_id FROM index_dirty ORDER BY card_id')).toEqual(['a', 'c', 'd']);
  const renamed = [
    expect.stringMatching(/^Caf\u00e9 \([0-9a-f]{6}\)$/),
    expect.stringMatching(/^Éva \([0-9a-f]{6}\)$/),
  ];
  expect(new Set(await column('SELECT name FROM student_group'))).toEqual(
    new Set([COMPOSED, 'Éva', '\u00c5', ...renamed]),
  );
  expect(await column('SELECT set_name FROM golden_case')).toEqual([COMPOSED]);
  expect(await column('SELECT name FROM search_profile')).toEqual([COMPOSED]);
});
