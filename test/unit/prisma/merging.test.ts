import { describe, expect, test } from 'vitest';
import { lockOwners } from '../../../prisma/cards/card-rows.js';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresAttemptStore } from '../../../prisma/practice/attempts.js';
import { ConflictError, ForbiddenError, NotFoundError } from '../../../src/domain/errors.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { mergeDrafts, withoutMerged } from '../../../src/exchange/import/merge.js';
import { until } from '../../support/until.js';
import { admin, newCard, newTenant, student } from './fixture.js';
import { importStoreWorld, teacher } from './import-store-world.js';
import { attempt, reviewsOf } from './practice-world.js';
import { waiting } from './sessions.js';

const { fixture, imports, store } = await importStoreWorld();

describe('merging two cards', () => {
  const both = [
    {
      id: 'a',
      questionText: '甲乙两人相向而行',
      occurredAt: '2026-01-01',
      topicTags: ['行程'],
      errorTypes: ['x'],
      metadata: [{ key: 'unit', value: '1' }],
    },
    {
      id: 'b',
      questionText: '另一道题目',
      occurredAt: '2026-01-02',
      notes: 'n',
      studentSolutionText: 's',
      errorTypes: ['y'],
      metadata: [
        { key: 'class', value: '7b' },
        { key: 'unit', value: '2' },
      ],
    },
  ];

  test('keeps every occurrence, label and field, deletes the second and gives the first a new revision', async () => {
    const viewer = student(newTenant(), 'li');
    await store(viewer, both);
    await imports.merge(viewer, { into: 'a', from: 'b' }, mergeDrafts);
    const [card, ...others] = await imports.cardsAfter(viewer, {}, null, 10);
    expect(others).toEqual([]);
    expect(card).toMatchObject({
      id: 'a',
      revision: 2,
      occurrences: 2,
      notes: 'n',
      topicTags: ['行程'],
      errorTypes: ['x', 'y'],
    });
    const times = (await imports.occurrences(viewer, ['a'])).get('a') ?? [];
    expect(
      times.map(({ number, wrongSolution, errorTypes, mergedId }) => [number, wrongSolution, errorTypes, mergedId]),
    ).toEqual([
      [1, null, ['x'], null],
      [2, 's', ['y'], 'b'],
    ]);
    expect(card?.metadata).toEqual([
      { key: 'class', value: '7b' },
      { key: 'unit', value: '1' },
    ]);
    expect(times[1]?.merged).toEqual({ questionText: '另一道题目', metadata: both[1]?.metadata });
    const found = await fixture.cards.mergedInto(viewer, ['a', 'b', 'c']);
    expect([...found].map(([id, { id: survivor }]) => [id, survivor])).toEqual([['b', 'a']]);
    // The origin of the deleted card's row is kept: imported again it changes nothing.
    expect(await store(viewer, both)).toMatchObject({ counts: { created: 0, merged: 0 } });
    expect(await imports.cardsAfter(viewer, {}, null, 10)).toHaveLength(1);
  });

  test('is refused for another revision than the expected one, of either card, and then changes nothing', async () => {
    const viewer = student(newTenant(), 'li');
    await store(viewer, both);
    const merge = (over: object) => imports.merge(viewer, { into: 'a', from: 'b', ...over }, mergeDrafts);
    for (const expected of [{ intoRevision: 2 }, { fromRevision: 2 }, { intoRevision: 1, fromRevision: 7 }]) {
      await expect(merge(expected)).rejects.toThrow(ConflictError);
    }
    expect(await imports.cardsAfter(viewer, {}, null, 10)).toHaveLength(2);
    await merge({ intoRevision: 1, fromRevision: 1 });
    expect(await imports.cardsAfter(viewer, {}, null, 10)).toMatchObject([{ id: 'a', revision: 2 }]);
  });

  test('into a card that is merged itself is found by both ids, by those who see the card', async () => {
    const viewer = student(newTenant(), 'li');
    await store(viewer, [...both, { id: 'c', questionText: '3+3=?' }]);
    await imports.merge(viewer, { into: 'b', from: 'a' }, mergeDrafts);
    await imports.merge(viewer, { into: 'c', from: 'b' }, mergeDrafts);
    const found = await fixture.cards.mergedInto(viewer, ['a', 'b']);
    expect([...found.values()].map(({ id }) => id)).toEqual(['c', 'c']);
    expect((await fixture.cards.mergedInto(student(viewer.tenantId, 'wang'), ['a', 'b'])).size).toBe(0);
  });

  test('is excluded by the id of a card that was merged into it, unless that id is of a card again', async () => {
    const viewer = student(newTenant(), 'li');
    const wang = student(viewer.tenantId, 'wang');
    await store(viewer, [...both, { id: 'c', questionText: '3+3=?' }]);
    await imports.merge(viewer, { into: 'a', from: 'b' }, mergeDrafts);
    const without = async (of: Viewer, ...excludeCardIds: string[]) =>
      (await imports.cardsAfter(of, { excludeCardIds }, null, 10)).map(({ id }) => id);
    expect(await without(viewer, 'b')).toEqual(['c']);
    expect(await without(viewer, 'b', 'c', 'unknown')).toEqual([]);
    expect(await without(viewer, 'unknown')).toEqual(['a', 'c']);
    expect(await without(teacher(viewer.tenantId), 'b')).toEqual(['c']);
    expect(await without(admin(newTenant()), 'b')).toEqual([]);
    // If the merge was made before merges were recorded, the id is free for another student. For whoever does not see
    // that card, it is still that of the merged one.
    await fixture.database.execute(Prisma.sql`DELETE FROM card_merge WHERE tenant_id = ${viewer.tenantId}`);
    await fixture.cards.create(wang, { ...newCard(), id: 'b' });
    expect(await without(wang, 'b')).toEqual([]);
    expect(await without(viewer, 'b')).toEqual(['c']);
    expect(await without(teacher(viewer.tenantId), 'b')).toEqual(['a', 'c']);
    await fixture.cards.delete(wang, 'b');
    await fixture.cards.create(viewer, { ...newCard(), id: 'b' });
    expect(await without(viewer, 'b')).toEqual(['a', 'c']);
  });

  test.each([
    ['a student', (tenant: string) => student(tenant, 'li')],
    ['a teacher', teacher],
  ])(
    'of %s makes the attempts at both attempts at one, and derives the reviews of their students',
    async (_who, of) => {
      const tenant = newTenant();
      const owner = of(tenant);
      const attempts = new PostgresAttemptStore(fixture.database, fixture.dirty);
      await store(owner, [...both, { id: 'c', questionText: '3+3=?' }]);
      const attemptOn = (key: string, cardId: string, day: number, reviewOf: string | null = null) =>
        attempt(key, { cardId, reviewOf, at: new Date(Date.UTC(2026, 2, day)) });
      const students = owner.role === 'student' ? [owner] : [owner, student(tenant, 'wang')];
      for (const { ownerId } of students) {
        const made = [attemptOn('1', 'a', 1), attemptOn('2', 'b', 2), attemptOn('3', 'c', 3, 'b')];
        const recorder = ownerId === owner.ownerId ? owner : admin(tenant);
        await attempts.record(recorder, new Map([[ownerId, made]]));
      }
      await imports.merge(owner, { into: 'a', from: 'b' }, mergeDrafts);
      for (const { ownerId } of students) {
        const range = { after: null, before: null, limit: 10 };
        const log = await attempts.log(owner, { ownerIds: [ownerId] }, range);
        expect(log.map(({ key, cardId, reviewOf }) => [key, cardId, reviewOf])).toEqual([
          ['1', 'a', null],
          ['2', 'a', null],
          ['3', 'c', 'a'],
        ]);
        const reviews = await reviewsOf(fixture.database, owner, ownerId, ['a', 'b', 'c']);
        expect([...reviews].map(([id, { reps }]) => [id, reps]).sort()).toEqual([
          ['a', 3],
          ['c', 1],
        ]);
      }
    },
  );

  test('makes attempts that arrive later attempts at the remaining card, and recognises repeated ones', async () => {
    const viewer = student(newTenant(), 'li');
    const attempts = new PostgresAttemptStore(fixture.database, fixture.dirty);
    await store(viewer, [...both, { id: 'c', questionText: '3+3=?' }]);
    const sent = [attempt('early', { cardId: 'b' }), attempt('sibling', { cardId: 'c', reviewOf: 'b' })];
    await attempts.record(viewer, new Map([['li', sent]]));
    await imports.merge(viewer, { into: 'a', from: 'b' }, mergeDrafts);
    const late = attempt('late', { cardId: 'b', at: new Date(Date.UTC(2026, 2, 9)) });
    const again = [...sent, late, attempt('none', { cardId: 'x' })];
    const results = await attempts.record(viewer, new Map([['li', again]]));
    expect(results.get('li')?.map(({ cardId, outcome, review }) => [cardId, outcome, review?.reps])).toEqual([
      ['a', 'REPEATED', 3],
      ['c', 'REPEATED', 1],
      ['a', 'RECORDED', 3],
      ['x', 'CARD_NOT_FOUND', undefined],
    ]);
  });

  test('gives the remaining card the state of the latest 500 attempts at both', async () => {
    const viewer = student(newTenant(), 'li');
    const attempts = new PostgresAttemptStore(fixture.database, fixture.dirty);
    await store(viewer, both);
    for (const [cardId, count] of [['a', 300] as const, ['b', 201] as const]) {
      const made = Array.from({ length: count }, (_, place) => attempt(`${cardId}${place}`, { cardId }));
      await attempts.record(viewer, new Map([['li', made]]));
    }
    await imports.merge(viewer, { into: 'a', from: 'b' }, mergeDrafts);
    const states = await reviewsOf(fixture.database, viewer, 'li', ['a']);
    expect(states.get('a')?.reps).toBe(500);
    expect(await attempts.log(viewer, { cardIds: ['a'] }, { limit: 1_000 })).toHaveLength(501);
  });

  test('waits for whoever is recording attempts at the card before it locks the cards', async () => {
    const viewer = student(newTenant(), 'li');
    const attempts = new PostgresAttemptStore(fixture.database, fixture.dirty);
    await store(viewer, both);
    await attempts.record(viewer, new Map([['li', [attempt('1', { cardId: 'b' })]]]));
    for (const change of [
      () => imports.merge(viewer, { into: 'a', from: 'b' }, mergeDrafts),
      () => imports.unmerge(viewer, { id: 'b', expectedRevision: null }, withoutMerged),
    ]) {
      const { changing } = await fixture.database.transaction(async (tx) => {
        await lockOwners(tx, viewer.tenantId, [viewer.ownerId]);
        const started = change();
        await until(async () => (await waiting(fixture.database)) === 1, {
          deadlineMs: 20_000,
          what: 'the change to wait',
        });
        const free = Prisma.sql`SELECT id FROM card WHERE tenant_id = ${viewer.tenantId} AND id = 'a' FOR UPDATE NOWAIT`;
        expect(await tx.query(free)).toHaveLength(1);
        return { changing: started };
      });
      await changing;
    }
  });

  test('lets a repeated request that created the card return the remaining one', async () => {
    const viewer = student(newTenant(), 'li');
    await store(viewer, both);
    const create = () => fixture.cards.create(viewer, newCard({ id: 'new' }), { key: 'k', body: 'create' });
    await create();
    await imports.merge(viewer, { into: 'a', from: 'new' }, mergeDrafts);
    expect(await create()).toMatchObject({ id: 'a', occurrences: 2 });
  });

  test('needs a viewer who may change both, and one owner', async () => {
    const tenant = newTenant();
    await store(student(tenant, 'li'), both);
    await store(student(tenant, 'wang'), [{ id: 'c', questionText: '3+3=?' }]);
    await expect(imports.merge(student(tenant, 'wang'), { into: 'c', from: 'a' }, mergeDrafts)).rejects.toThrow(
      NotFoundError,
    );
    await expect(imports.merge(teacher(tenant), { into: 'a', from: 'b' }, mergeDrafts)).rejects.toThrow(ForbiddenError);
    await expect(imports.merge(admin(tenant), { into: 'a', from: 'c' }, mergeDrafts)).rejects.toThrow(ConflictError);
    expect(await imports.cardsAfter(admin(tenant), {}, null, 10)).toHaveLength(3);
  });
});
