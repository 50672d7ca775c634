import { afterAll, beforeAll, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresImportStore } from '../../../prisma/import/import-store.js';
import { PostgresLabelStore } from '../../../prisma/labels/label-store.js';
import { mergeDrafts } from '../../../src/exchange/import/merge.js';
import { replay } from '../../../src/practice/schedule.js';
import { until } from '../../support/until.js';
import { admin, type Fixture, newCard, newTenant, openFixture } from './fixture.js';
import { waiting } from './sessions.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

test('a card that is created while its label is merged has the other label, in its occurrences too', async () => {
  const viewer = admin(newTenant());
  const labels = new PostgresLabelStore(fixture.database, fixture.dirty);
  const imports = new PostgresImportStore(fixture.database, fixture.dirty, 2 ** 30);
  const labelled = (id: string, label: string) =>
    fixture.cards.create(viewer, newCard({ id, topicTags: [], errorTypes: [label] }));
  await labelled('kept', 'into');
  await labelled('old', 'gone');
  const { merged, creating } = await fixture.database.transaction(async (tx) => {
    // The merge has read which cards have the label, and waits for one of them.
    await tx.query(Prisma.sql`SELECT FROM card WHERE tenant_id = ${viewer.tenantId} AND id = 'old' FOR UPDATE`);
    const merging = labels.merge(viewer, 'errorTypes', ['gone'], 'into');
    await until(async () => (await waiting(fixture.database)) === 1, { deadlineMs: 20_000, what: 'the merge to wait' });
    let isCreated = false;
    const created = labelled('new', 'gone').finally(() => {
      isCreated = true;
    });
    const what = 'the card to be created, or to wait';
    await until(async () => isCreated || (await waiting(fixture.database)) === 2, { deadlineMs: 20_000, what });
    return { merged: merging, creating: created };
  });
  await merged;
  const created = await creating;
  const card = (await fixture.cards.byIds(viewer, ['new'])).get('new');
  expect(card?.errorTypes).toEqual(['into']);
  const occurrences = (await imports.occurrences(viewer, ['new'])).get('new') ?? [];
  expect(occurrences.map(({ errorTypes }) => errorTypes)).toEqual([['into']]);
  // A revision never has two contents.
  if (card?.revision === created.revision) expect(created.errorTypes).toEqual(['into']);
});

test('a card that is created while its label gets its former name back has that name, and no other label is created', async () => {
  const viewer = admin(newTenant());
  const labels = new PostgresLabelStore(fixture.database, fixture.dirty);
  const create = (id: string) => fixture.cards.create(viewer, newCard({ id, topicTags: ['former'], errorTypes: [] }));
  await create('old');
  await labels.rename(viewer, 'topicTags', 'former', 'later');
  const creating = await fixture.database.transaction(async (tx) => {
    await tx.query(Prisma.sql`LOCK TABLE card_topic_tag IN SHARE ROW EXCLUSIVE MODE`);
    const created = create('new');
    const isWaiting = async () => (await waiting(fixture.database)) === 1;
    await until(isWaiting, { deadlineMs: 20_000, what: 'the card to be without its labels yet' });
    await labels.rename(viewer, 'topicTags', 'later', 'former');
    return { created };
  });
  expect((await creating.created).topicTags).toEqual(['former']);
  const query = { kind: 'topicTags', prefix: null, parent: null } as const;
  const { edges } = await labels.page(viewer, query, { first: 10, after: null });
  expect(edges.map(({ node: { name, aliases } }) => [name, aliases])).toEqual([['former', ['later']]]);
});

test('an error type that was removed from its card, but not from an occurrence, is merged there too', async () => {
  const viewer = admin(newTenant());
  const labels = new PostgresLabelStore(fixture.database, fixture.dirty);
  const imports = new PostgresImportStore(fixture.database, fixture.dirty, 2 ** 30);
  for (const [id, label] of [
    ['card', 'a'],
    ['merged', 'b'],
    ['other', 'c'],
  ] as const) {
    await fixture.cards.create(viewer, newCard({ id, topicTags: [], errorTypes: [label] }));
  }
  await imports.merge(viewer, { from: 'merged', into: 'card' }, { decide: mergeDrafts, replay });
  await fixture.cards.update(viewer, 'card', { errorTypes: ['a'] }, null);
  const errors = async () =>
    ((await imports.occurrences(viewer, ['card'])).get('card') ?? []).map(({ errorTypes }) => errorTypes);
  expect(await errors()).toEqual([['a'], ['b']]);
  const { revision = 0 } = (await fixture.cards.byIds(viewer, ['card'])).get('card') ?? {};
  const { changedCards } = await labels.merge(viewer, 'errorTypes', ['b'], 'c');
  expect(changedCards).toBe(1);
  expect(await errors()).toEqual([['a'], ['c']]);
  expect((await fixture.cards.byIds(viewer, ['card'])).get('card')).toMatchObject({
    errorTypes: ['a'],
    revision: revision + 1,
  });
});
