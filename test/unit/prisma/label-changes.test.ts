import { afterAll, beforeAll, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresImportStore } from '../../../prisma/import/import-store.js';
import { PostgresLabelStore } from '../../../prisma/labels/label-store.js';
import type { Card } from '../../../src/domain/card.js';
import { MAX_CHILDREN } from '../../../src/domain/labels.js';
import { DuplicateService } from '../../../src/exchange/duplicates/duplicate-service.js';
import { mergeDrafts } from '../../../src/exchange/import/merge.js';
import { until } from '../../support/until.js';
import { admin, type Fixture, newCard, newTenant, openFixture } from './fixture.js';
import { waiting } from './sessions.js';

let fixture: Fixture;
const statements: string[] = [];
beforeAll(async () => {
  fixture = await openFixture({ onQuery: (sql) => statements.push(sql) });
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

test('cards that are created at the same time with the same new labels in other spellings return the stored one', async () => {
  const viewer = admin(newTenant());
  const imports = new PostgresImportStore(fixture.database, fixture.dirty, 2 ** 30);
  const spellings = ['New label', 'NEW LABEL', 'new label', 'Ｎew label'];
  const create = (label: string, place: number) =>
    fixture.cards.create(viewer, newCard({ id: `card-${place}`, topicTags: [label], errorTypes: [label] }));
  const creating = await fixture.database.transaction(async (tx) => {
    await tx.query(Prisma.sql`LOCK TABLE topic_tag IN SHARE ROW EXCLUSIVE MODE`);
    const created = Promise.all(spellings.map(create));
    const areWaiting = async () => (await waiting(fixture.database)) === spellings.length;
    await until(areWaiting, { deadlineMs: 20_000, what: 'the cards to be without their labels yet' });
    return { created };
  });
  const created = await creating.created;
  const stored = await fixture.cards.byIds(
    viewer,
    created.map(({ id }) => id),
  );
  const occurrences = await imports.occurrences(viewer, [...stored.keys()]);
  for (const card of created) {
    expect(stored.get(card.id)).toMatchObject({ topicTags: card.topicTags, errorTypes: card.errorTypes });
    expect(occurrences.get(card.id)).toMatchObject([{ errorTypes: card.errorTypes }]);
  }
});

test('the same question with a new label in two spellings, sent twice at the same time, is one card with one label', async () => {
  const viewer = admin(newTenant());
  const imports = new PostgresImportStore(fixture.database, fixture.dirty, 2 ** 30);
  const duplicates = new DuplicateService({ cards: fixture.cards, imports });
  const create = (label: string, place: number) => {
    const card = newCard({
      topicTags: [label],
      errorTypes: [label],
      occurredAt: new Date(Date.UTC(2026, 1, 1 + place)),
    });
    return duplicates.create(viewer, { card, dated: true }, 'MERGE', null, new AbortController().signal);
  };
  const creating = await fixture.database.transaction(async (tx) => {
    await tx.query(Prisma.sql`LOCK TABLE topic_tag IN SHARE ROW EXCLUSIVE MODE`);
    const created = Promise.all(['New label', 'NEW LABEL'].map(create));
    const areWaiting = async () => (await waiting(fixture.database)) === 2;
    await until(areWaiting, { deadlineMs: 20_000, what: 'both to have looked up the label' });
    return { created };
  });
  const [first, second] = (await creating.created) as [Card, Card];
  expect(second).toMatchObject({ id: first.id, topicTags: first.topicTags, errorTypes: first.errorTypes });
  expect(first.topicTags).toHaveLength(1);
  const occurrences = (await imports.occurrences(viewer, [first.id])).get(first.id) ?? [];
  expect(occurrences.map(({ errorTypes }) => errorTypes)).toEqual([first.errorTypes, first.errorTypes]);
});

const COUNTS = { read: 0, created: 0, updated: 0, merged: 0, skipped: 0, failed: 0 };
const NOTHING = { drafts: [], files: [], counts: COUNTS, problems: [], rows: [] };

const waitFor = (count: number, what: string) =>
  until(async () => (await waiting(fixture.database)) === count, { deadlineMs: 20_000, what });

test('an update that creates a label, and a merge that changes the same card, do not deadlock', async () => {
  const viewer = admin(newTenant());
  const labels = new PostgresLabelStore(fixture.database, fixture.dirty);
  await fixture.cards.create(viewer, newCard({ id: 'card', topicTags: [], errorTypes: ['gone'] }));
  await fixture.cards.create(viewer, newCard({ id: 'kept', topicTags: [], errorTypes: ['into'] }));
  statements.length = 0;
  const both = await fixture.database.transaction(async (tx) => {
    await tx.query(Prisma.sql`LOCK TABLE card_topic_tag IN SHARE ROW EXCLUSIVE MODE`);
    const updating = fixture.cards.update(viewer, 'card', { topicTags: ['new'] }, null);
    await waitFor(1, 'the update to have locked the card');
    const merging = labels.merge(viewer, 'errorTypes', ['gone'], 'into');
    await waitFor(2, 'the merge to wait');
    return { updating, merging };
  });
  await both.updating;
  await both.merging;
  expect(statements.filter((sql) => sql === 'ROLLBACK')).toEqual([]);
  const card = (await fixture.cards.byIds(viewer, ['card'])).get('card');
  expect(card).toMatchObject({ topicTags: ['new'], errorTypes: ['into'] });
});

test('an import step that creates a label, and a merge that changes the same card, do not deadlock', async () => {
  const viewer = admin(newTenant());
  const labels = new PostgresLabelStore(fixture.database, fixture.dirty);
  const imports = new PostgresImportStore(fixture.database, fixture.dirty, 2 ** 30);
  await fixture.cards.create(viewer, newCard({ id: 'card', topicTags: [], errorTypes: ['gone'] }));
  await fixture.cards.create(viewer, newCard({ id: 'kept', topicTags: [], errorTypes: ['into'] }));
  const wanted = { ids: ['card'], keys: [], bands: [], origins: [], files: [], heldBytes: 0 };
  statements.length = 0;
  const merging: Promise<unknown>[] = [];
  await imports.fold(
    viewer,
    { ...wanted, labels: { topicTags: ['new'], errorTypes: [] } },
    async ({ cards }) => {
      merging.push(labels.merge(viewer, 'errorTypes', ['gone'], 'into'));
      await waitFor(1, 'the merge to wait');
      const drafts = cards.map((card) => ({
        ...card,
        content: { ...card.content, topicTags: ['new'] },
        state: 'CHANGED' as const,
      }));
      return { ...NOTHING, drafts };
    },
    { step: null, dryRun: false },
  );
  await Promise.all(merging);
  expect(statements.filter((sql) => sql === 'ROLLBACK')).toEqual([]);
  const card = (await fixture.cards.byIds(viewer, ['card'])).get('card');
  expect(card).toMatchObject({ topicTags: ['new'], errorTypes: ['into'] });
});

test('a card that creates a label, and setLabel of the same name, do not deadlock', async () => {
  const viewer = admin(newTenant());
  const labels = new PostgresLabelStore(fixture.database, fixture.dirty);
  await fixture.cards.create(viewer, newCard({ id: 'old', topicTags: [], errorTypes: ['known'] }));
  statements.length = 0;
  const both = await fixture.database.transaction(async (tx) => {
    await tx.query(Prisma.sql`SELECT FROM error_type WHERE tenant_id = ${viewer.tenantId} FOR UPDATE`);
    const creating = fixture.cards.create(viewer, newCard({ topicTags: ['new'], errorTypes: ['known'] }));
    await waitFor(1, 'the card to have created its label');
    const setting = labels.set(viewer, 'topicTags', 'new', { aliases: ['alias'] });
    await waitFor(2, 'setLabel to wait');
    return { creating, setting };
  });
  expect((await both.creating).topicTags).toEqual(['new']);
  expect((await both.setting).label).toMatchObject({ name: 'new', aliases: ['alias'] });
  expect(statements.filter((sql) => sql === 'ROLLBACK')).toEqual([]);
});

test('a card whose label was renamed while it was created does not wait for another change of labels', async () => {
  const viewer = admin(newTenant());
  const labels = new PostgresLabelStore(fixture.database, fixture.dirty);
  const create = (id: string, topicTags: string[], errorTypes: string[]) =>
    fixture.cards.create(viewer, newCard({ id, topicTags, errorTypes }));
  await create('old', ['former'], []);
  await create('kept', [], ['into']);
  await create('held', [], ['gone']);
  const merging = await fixture.database.transaction(async (tx) => {
    await tx.query(Prisma.sql`SELECT FROM card WHERE tenant_id = ${viewer.tenantId} AND id = 'held' FOR UPDATE`);
    const both = await fixture.database.transaction(async (inner) => {
      await inner.query(Prisma.sql`LOCK TABLE card_topic_tag IN SHARE ROW EXCLUSIVE MODE`);
      const creating = create('new', ['former'], []);
      await waitFor(1, 'the card to be without its labels yet');
      await labels.rename(viewer, 'topicTags', 'former', 'later');
      const merged = labels.merge(viewer, 'errorTypes', ['gone'], 'into');
      await waitFor(2, 'the merge to wait');
      return { creating, merged };
    });
    let topicTags: readonly string[] | null = null;
    const created = both.creating.then((card) => {
      ({ topicTags } = card);
    });
    await until(async () => topicTags !== null, { deadlineMs: 20_000, what: 'the card to be created' });
    await created;
    expect(topicTags).toEqual(['later']);
    return { merged: both.merged };
  });
  await merging.merged;
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
  await imports.merge(viewer, { from: 'merged', into: 'card' }, mergeDrafts);
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

test('labels below a full one can be merged into it, also one that has a label below itself', async () => {
  const viewer = admin(newTenant());
  const labels = new PostgresLabelStore(fixture.database, fixture.dirty);
  await labels.set(viewer, 'topicTags', 'top', {});
  await fixture.database.execute(Prisma.sql`
    INSERT INTO topic_tag (tenant_id, name, key, parent_id)
    SELECT tenant_id, 't' || number, 't' || number, id FROM topic_tag, generate_series(0, ${MAX_CHILDREN - 1}::int) number
    WHERE tenant_id = ${viewer.tenantId}`);
  await labels.set(viewer, 'topicTags', 'deepest', { parent: 't0' });
  const refused = labels.set(viewer, 'topicTags', 'more', { parent: 'top' });
  await expect(refused).rejects.toThrow('would have more than 200 labels directly below it');
  await labels.merge(viewer, 'topicTags', ['t0'], 'top');
  const [top] = await labels.described(viewer.tenantId).then((all) => all.filter(({ name }) => name === 'deepest'));
  expect(top).toMatchObject({ parent: 'top' });
});
