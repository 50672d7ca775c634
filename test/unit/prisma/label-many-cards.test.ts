import { afterAll, beforeAll, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresLabelStore } from '../../../prisma/labels/label-store.js';
import { admin, type Fixture, newCard, newTenant, openFixture } from './fixture.js';

let fixture: Fixture;
const statements: string[] = [];
beforeAll(async () => {
  fixture = await openFixture({ onQuery: (sql) => statements.push(sql) });
});
afterAll(() => fixture.close());

test('a change of a label updates many cards by statements of at most a thousand ids, each card once', async () => {
  const CARDS = 2_500;
  const viewer = admin(newTenant());
  const { tenantId } = viewer;
  await fixture.cards.create(viewer, newCard({ id: 'first', topicTags: ['former'], errorTypes: [] }));
  await fixture.database.execute(Prisma.sql`
    INSERT INTO card (tenant_id, id, owner_id, subject, difficulty, question_text, occurred_at)
    SELECT ${tenantId}, 'c' || n, 'o', 'math', 1, 'q', now() FROM generate_series(2, ${CARDS}::int) n`);
  await fixture.database.execute(Prisma.sql`
    INSERT INTO card_topic_tag (tenant_id, card_id, topic_tag_id, position)
    SELECT c.tenant_id, c.id, t.id, 1 FROM card c JOIN topic_tag t ON t.tenant_id = c.tenant_id
    WHERE c.tenant_id = ${tenantId} AND c.id <> 'first'`);
  statements.length = 0;

  const labels = new PostgresLabelStore(fixture.database, fixture.dirty);
  expect(await labels.rename(viewer, 'topicTags', 'former', 'later')).toMatchObject({ changedCards: CARDS });

  const values = statements.flatMap((sql) => Array.from(sql.matchAll(/\$(\d+)/g), ([, place]) => Number(place)));
  expect(Math.max(...values)).toBeLessThan(1_020);
  const revisions = await fixture.database.run((prisma) =>
    prisma.card.groupBy({ where: { tenantId }, by: ['revision'], _count: true }),
  );
  expect(revisions).toEqual([{ revision: 2, _count: CARDS }]);
});
