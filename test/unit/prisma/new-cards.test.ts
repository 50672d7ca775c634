/** Cards that are created together, such as those of the sample notebook. */
import { expect, test } from 'vitest';
import type { Viewer } from '../../../src/domain/viewer.js';
import { createAll } from '../../../src/exchange/import/new-cards.js';
import { newCard, newTenant, student } from './fixture.js';
import { importStoreWorld } from './import-store-world.js';

const { fixture, imports, statements } = await importStoreWorld();

const CARDS = ['1', '2', '3'].map((id) => ({
  ...newCard({ topicTags: ['Area', id], errorTypes: ['sign error'], questionText: `${id} + ${id} = ?` }),
  id,
}));

/** Everything that the database has of a viewer's cards, apart from times. */
async function stored(viewer: Viewer): Promise<unknown> {
  const { tenantId } = viewer;
  const occurrences = await imports.occurrences(viewer, ['1', '2', '3']);
  const rows = await fixture.database.run(({ card }) => card.findMany({ where: { tenantId }, orderBy: { id: 'asc' } }));
  const fingerprints = rows.map(({ questionKey, questionBands }) => [questionKey, questionBands.length]);
  const cards = await imports.cardsAfter(viewer, {}, null, 9);
  const read = cards.map(({ tenantId: _t, createdAt: _c, updatedAt: _u, ...card }) => card);
  return { read, occurrences, fingerprints };
}

test('cards that are created together are the same as those created one by one', async () => {
  const [together, single] = [student(newTenant(), 'li'), student(newTenant(), 'li')];
  expect(await createAll(imports, together, CARDS)).toBe(3);
  for (const card of CARDS) await fixture.cards.create(single, card);
  expect(await stored(together)).toEqual(await stored(single));
});

test('of cards that are created together, one that exists is kept, and the labels have the names that exist', async () => {
  const viewer = student(newTenant(), 'li');
  await fixture.cards.create(viewer, { ...newCard({ topicTags: ['area'] }), id: '2' });
  expect(await createAll(imports, viewer, CARDS)).toBe(2);
  const cards = await imports.cardsAfter(viewer, {}, null, 9);
  expect(cards.map(({ id, topicTags, revision }) => [id, topicTags, revision])).toEqual([
    ['1', ['area', '1'], 1],
    ['2', ['area'], 1],
    ['3', ['area', '3'], 1],
  ]);
});

test('cards are created together by one statement a table, and listed by creation time in the order of their ids', async () => {
  const viewer = student(newTenant(), 'li');
  statements.length = 0;
  await createAll(imports, viewer, CARDS);
  expect(statements.filter((sql) => /INSERT INTO card\s/.test(sql))).toHaveLength(1);
  const { edges } = await fixture.cards.page(viewer, {}, { first: 9, after: null });
  expect(edges.map(({ node }) => node.id)).toEqual(['3', '2', '1']);
});
