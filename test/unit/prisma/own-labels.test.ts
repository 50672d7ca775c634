import { afterAll, beforeAll, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { MAX_OWN_LABELS } from '../../../src/domain/labels.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { type Fixture, newCard, newTenant, openFixture, student } from './fixture.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

test('an owner whose cards have the most topic tags gets no new ones, and everybody else does', async () => {
  const tenantId = newTenant();
  const [full, other] = [student(tenantId, 'full'), student(tenantId, 'other')];
  await createLabels(full, MAX_OWN_LABELS - 1);
  const card = (id: string, topicTags: string[]) => newCard({ id, topicTags, errorTypes: [`error of ${id}`] });
  await fixture.cards.create(full, card('last', ['the last one']));

  const refusal = { name: 'BadInputError', field: 'topicTags' };
  await expect(fixture.cards.create(full, card('created', ['one too many']))).rejects.toMatchObject(refusal);
  const updated = fixture.cards.update(full, 'last', { topicTags: ['one too many', 'another'] }, null);
  await expect(updated).rejects.toMatchObject(refusal);

  const stored = await fixture.cards.byIds(full, ['created', 'last']);
  expect([...stored].map(([id, { topicTags }]) => [id, topicTags])).toEqual([['last', ['the last one']]]);
  await fixture.cards.create(full, card('existing-tags', ['tag 1', 'tag 2']));
  await fixture.cards.create(other, card('of-another', ['one too many']));
});

/** Of one card, as if it had come with all of them. */
async function createLabels({ tenantId, ...viewer }: Viewer, count: number): Promise<void> {
  await fixture.cards.create({ tenantId, ...viewer }, newCard({ id: 'many', topicTags: [] }));
  await fixture.database.execute(Prisma.sql`
    WITH created AS (INSERT INTO topic_tag (tenant_id, key, name)
      SELECT ${tenantId}, 'tag ' || i, 'tag ' || i FROM generate_series(1, ${count}::int) AS i RETURNING id)
    INSERT INTO card_topic_tag (tenant_id, card_id, topic_tag_id, position)
    SELECT ${tenantId}, 'many', id, row_number() OVER () FROM created`);
}
