import { describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { type AttemptToRecord } from '../../../src/domain/practice.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { until } from '../../support/until.js';
import { admin, newCard } from './fixture.js';
import { ALL, attempt, practiceWorld, START } from './practice-world.js';
import { waiting } from './sessions.js';

const { fixture, store, deriveAgain, newStudent, record, states } = await practiceWorld();

describe('attempts at deleted cards', () => {
  test('at a deleted sibling stay those at the card whose review they were, whose state stays', async () => {
    const viewer = await newStudent();
    await record(viewer, [
      attempt('own', { cardId: 'c1' }),
      attempt('sibling', { cardId: 'c2', reviewOf: 'c1', at: new Date(START + 86_400_000) }),
      attempt('only', { cardId: 'c2', at: new Date(START + 2 * 86_400_000) }),
    ]);
    const before = (await states(viewer)).get('c1');
    await fixture.cards.delete(viewer, 'c2');
    expect((await states(viewer)).get('c1')).toEqual(before);
    await deriveAgain(viewer);
    expect((await states(viewer)).get('c1')).toEqual(before);
    const left = await store.log(viewer, { ownerIds: [viewer.ownerId] }, ALL);
    expect(left.map(({ key, cardId }) => [key, cardId])).toEqual([
      ['own', 'c1'],
      ['sibling', 'c1'],
    ]);
  });

  test('at a sibling are no review of the next card with the id of a deleted one', async () => {
    const viewer = await newStudent();
    await record(viewer, [attempt('sibling', { cardId: 'c2', reviewOf: 'c1' })]);
    await fixture.cards.delete(viewer, 'c1');
    await fixture.cards.create({ ...viewer, ownerId: 'another' }, newCard({ id: 'c1' }));
    await fixture.cards.delete(viewer, 'c2');
    expect(await store.log(admin(viewer.tenantId), { cardIds: ['c1', 'c2'] }, ALL)).toEqual([]);
  });

  test('are deleted with their card', async () => {
    const viewer = await newStudent();
    await record(viewer, [attempt('k1'), attempt('k2', { cardId: 'c2' })]);
    await fixture.cards.delete(viewer, 'c1');
    expect((await store.log(viewer, { ownerIds: [viewer.ownerId] }, ALL)).map(({ cardId }) => cardId)).toEqual(['c2']);
    expect([...(await states(viewer)).keys()]).toEqual(['c2']);
  });

  const SIBLING = attempt('sibling', { cardId: 'c2', reviewOf: 'c1', correct: false, recordOccurrence: true });

  test.each([
    ['the sibling', 'c2', { cardId: 'c1', reviewOf: 'c1' }],
    ['the due card', 'c1', { cardId: 'c2', reviewOf: null }],
  ])('are the same if %s is deleted before they arrive as if later, and are recognised', async (_, deleted, kept) => {
    const [inTime, late] = [await newStudent(), await newStudent()];
    expect(await record(inTime, [SIBLING])).toMatchObject([{ outcome: 'RECORDED', cardId: 'c2' }]);
    for (const viewer of [inTime, late]) await fixture.cards.delete(viewer, deleted);
    expect(await record(late, [SIBLING])).toMatchObject([
      { outcome: 'RECORDED', cardId: kept.cardId, review: { reps: 1 } },
    ]);
    for (const viewer of [inTime, late]) {
      const own = { outcome: 'REPEATED', cardId: kept.cardId, review: { reps: 1 } };
      expect(await record(viewer, [SIBLING])).toMatchObject([own]);
      expect(await store.log(viewer, { ownerIds: ['amy'] }, ALL)).toMatchObject([kept]);
    }
    expect(await states(late)).toEqual(await states(inTime));
    const occurrencesOf = async (viewer: Viewer) =>
      (await fixture.cards.byIds(viewer, [kept.cardId])).get(kept.cardId)?.occurrences;
    expect(await occurrencesOf(late)).toBe(await occurrencesOf(inTime));
  });

  test('of others that the student never saw are not stored', async () => {
    const viewer = await newStudent();
    const another = { ...viewer, ownerId: 'another' };
    await fixture.cards.create(another, newCard({ id: 'theirs' }));
    await fixture.cards.delete(another, 'theirs');
    const attempts: readonly AttemptToRecord[] = [
      attempt('k1', { cardId: 'theirs', reviewOf: 'c1' }),
      attempt('k2', { cardId: 'c1', reviewOf: 'theirs' }),
    ];
    expect((await record(viewer, attempts)).map(({ outcome }) => outcome)).toEqual([
      'CARD_NOT_FOUND',
      'CARD_NOT_FOUND',
    ]);
  });

  test.each(['before', 'while'])(
    'at a card that is deleted %s they are inserted are of an unknown card',
    async (when) => {
      const viewer = await newStudent(['c1', 'c2']);
      const remove = Prisma.sql`DELETE FROM card WHERE tenant_id = ${viewer.tenantId} AND id = 'c1'`;
      const recording = await fixture.database.transaction(async (tx) => {
        if (when === 'while') await tx.execute(remove);
        else await tx.execute(Prisma.sql`LOCK TABLE attempt IN SHARE ROW EXCLUSIVE MODE`);
        const results = record(viewer, [attempt('k1'), attempt('k2', { cardId: 'c2' })]);
        // The card was read, and the insert waits.
        await until(async () => (await waiting(fixture.database)) === 1, {
          deadlineMs: 20_000,
          what: 'the insert to wait',
        });
        if (when === 'before') await tx.execute(remove);
        return { results };
      });
      expect(await recording.results).toMatchObject([{ outcome: 'CARD_NOT_FOUND' }, { outcome: 'RECORDED' }]);
    },
  );
});
