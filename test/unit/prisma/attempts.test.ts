import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lockOwners } from '../../../prisma/cards/card-rows.js';
import { PostgresSyncFeed } from '../../../prisma/cards/sync-feed.js';
import { PRIORITY } from '../../../src/domain/ports/outbox.js';
import type { LogRange } from '../../../src/domain/ports/practice.js';
import { type AttemptToRecord, DEFAULT_PRACTICE_SETTINGS } from '../../../src/domain/practice.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { replay } from '../../../src/fsrs/schedule.js';
import { runs } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { admin, dirtyRows, indexEverything } from './fixture.js';
import { ALL, attempt, practiceWorld, START } from './practice-world.js';
import { waiting } from './sessions.js';

const { fixture, store, deriveAgain, newStudent, record, states } = await practiceWorld();

describe('attempts', () => {
  test('are stored once for each key, for any order, repetition and batching', async () => {
    const logs = fc.uniqueArray(
      fc.record({
        key: fc.integer({ min: 0, max: 999 }),
        card: fc.integer({ min: 1, max: 3 }),
        hours: fc.integer({ min: 0, max: 2_000 }),
        correct: fc.boolean(),
        hints: fc.integer({ min: 0, max: 1 }),
      }),
      { selector: ({ key }) => key, minLength: 1, maxLength: 12 },
    );
    const arrivals = logs.chain((log) =>
      fc.record({
        log: fc.constant(log),
        batches: fc.array(fc.subarray(log, { minLength: 1 }), { maxLength: 3 }),
        last: fc.shuffledSubarray(log, { minLength: log.length }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(arrivals, async ({ log, batches, last }) => {
        const viewer = await newStudent();
        const written = ({ key, card, hours, ...rest }: (typeof log)[number]): AttemptToRecord =>
          attempt(`k${key}`, { ...rest, cardId: `c${card}`, at: new Date(START + hours * 3_600_000) });
        for (const batch of [...batches, last]) await record(viewer, batch.map(written));
        const expected = log.map(written).sort((a, b) => a.at.getTime() - b.at.getTime() || (a.key < b.key ? -1 : 1));
        expect((await store.log(viewer, { ownerIds: [viewer.ownerId] }, ALL)).map(({ key }) => key)).toEqual(
          expected.map(({ key }) => key),
        );
        const derived = await states(viewer);
        expect([...derived.keys()].sort()).toEqual([...new Set(expected.map(({ cardId }) => cardId))].sort());
        for (const [cardId, state] of derived) {
          const own = expected.filter((one) => one.cardId === cardId);
          expect(state).toStrictEqual(replay(own, DEFAULT_PRACTICE_SETTINGS));
        }
        await deriveAgain(viewer);
        expect(await states(viewer)).toStrictEqual(derived);
      }),
      { numRuns: runs(40) },
    );
  });

  test('that are recorded concurrently all count for the state', async () => {
    const viewer = await newStudent();
    const hours = Array.from({ length: 6 }, (_, place) => place);
    const all = hours.map((hour) => attempt(`k${hour}`, { at: new Date(START + hour * 86_400_000) }));
    await Promise.all(all.map((one) => record(viewer, [one])));
    expect((await states(viewer)).get('c1')).toStrictEqual(replay(all, DEFAULT_PRACTICE_SETTINGS));
  });

  test('of the same students that are recorded concurrently, in any order of the students, do not deadlock', async () => {
    const viewer = await newStudent();
    const principal = admin(viewer.tenantId);
    const recordOf = (key: string, ...owners: readonly string[]) =>
      store.record(principal, new Map(owners.map((ownerId) => [ownerId, [attempt(key)]])));
    const recording = await fixture.database.transaction(async (tx) => {
      await lockOwners(tx, viewer.tenantId, [viewer.ownerId]);
      const calls = [recordOf('k1', 'amy', 'ben'), recordOf('k2', 'ben', 'amy')];
      await until(async () => (await waiting(fixture.database)) === 2, {
        deadlineMs: 20_000,
        what: 'both to wait for amy',
      });
      // Neither has locked ben.
      await recordOf('k3', 'ben');
      return { calls };
    });
    for (const results of await Promise.all(recording.calls)) {
      for (const ownerId of ['amy', 'ben']) expect(results.get(ownerId)).toMatchObject([{ outcome: 'RECORDED' }]);
    }
    expect(await store.log(principal, { ownerIds: ['ben'] }, ALL)).toHaveLength(3);
  });

  test('are returned with their outcomes, in order', async () => {
    const viewer = await newStudent();
    const first = attempt('k1');
    const [recorded] = await record(viewer, [first]);
    expect(recorded).toMatchObject({ key: 'k1', cardId: 'c1', outcome: 'RECORDED', review: { reps: 1 } });
    const undated = { ...first, at: new Date(START + 1), isDated: false };
    expect((await record(viewer, [undated]))[0]?.outcome).toBe('REPEATED');
    const answers = await record(viewer, [
      first,
      attempt('k1', { correct: false }),
      attempt('k2', { cardId: 'nobodys' }),
      attempt('k3', { cardId: 'c2' }),
      attempt('k3', { cardId: 'c2' }),
    ]);
    expect(answers.map(({ outcome }) => outcome)).toEqual([
      'REPEATED',
      'CONFLICT',
      'CARD_NOT_FOUND',
      'RECORDED',
      'REPEATED',
    ]);
    expect(answers[2]?.review).toBeNull();
    expect(await store.log(viewer, { ownerIds: [viewer.ownerId] }, ALL)).toHaveLength(2);
  });

  test('of others are recorded by admins only', async () => {
    const viewer = await newStudent();
    const teacher: Viewer = { ...viewer, ownerId: 'tess', role: 'teacher' };
    const amys = new Map([['amy', [attempt('k1')]]]);
    await expect(store.record(teacher, amys)).rejects.toThrow(/only admins/);
    const principal = admin(viewer.tenantId);
    expect((await store.record(principal, amys)).get('amy')).toMatchObject([{ outcome: 'RECORDED' }]);
    expect(await store.log(viewer, { ownerIds: ['amy'] }, ALL)).toHaveLength(1);
    expect(await store.log(principal, { ownerIds: ['admin'] }, ALL)).toHaveLength(0);
    // A teacher sees the school's log and has one of their own; a student sees no other one.
    await record(teacher, [attempt('k1')]);
    expect(await store.log(teacher, { ownerIds: ['amy'] }, ALL)).toHaveLength(1);
    expect(await store.log({ ...viewer, ownerId: 'ben' }, { ownerIds: ['amy'] }, ALL)).toHaveLength(0);
    expect(await store.log(viewer, { ownerIds: ['tess'] }, ALL)).toHaveLength(0);
  });

  test('are read by whether they are right, if asked for', async () => {
    const viewer = await newStudent();
    await record(viewer, [attempt('k1'), attempt('k2', { correct: false }), attempt('k3')]);
    const keys = async (correct: boolean): Promise<readonly string[]> => {
      const log = await store.log(viewer, { ownerIds: [viewer.ownerId] }, { correct, limit: 10 });
      return log.map(({ key }) => key);
    };
    expect([await keys(true), await keys(false)]).toEqual([['k1', 'k3'], ['k2']]);
  });

  test('that are right are counted by student and card, of a time and for those who may see them', async () => {
    const viewer = await newStudent();
    const at = (ms: number) => new Date(START + ms);
    const right = ['k1', 'k2', 'k3', 'k4'].map((key, place) => attempt(key, { at: at(place * 1_000) }));
    await record(viewer, [...right, attempt('k5', { correct: false }), attempt('k6', { cardId: 'c2' })]);
    const counts = (who: Viewer, range: Pick<LogRange, 'after' | 'before'>) => store.rightAnswers(who, ['amy'], range);
    const [c1, c2] = ['c1', 'c2'].map((cardId) => ({ ownerId: 'amy', cardId }));
    const all = await counts({ ...viewer, ownerId: 'tess', role: 'teacher' }, {});
    expect(new Set(all)).toEqual(
      new Set([
        { ...c1, count: 4 },
        { ...c2, count: 1 },
      ]),
    );
    expect(await counts(viewer, { after: at(1_000), before: at(3_000) })).toEqual([{ ...c1, count: 2 }]);
    expect(await counts({ ...viewer, ownerId: 'ben' }, {})).toEqual([]);
  });

  test('of one card are stored beyond 500, and the latest 500 give its state, whenever they arrive', async () => {
    const viewer = await newStudent();
    const all = Array.from({ length: 503 }, (_, place) => {
      const at = new Date(START + place * 86_400_000);
      const sibling = place % 7 === 0 && ({ cardId: 'c2', reviewOf: 'c1' } as const);
      return attempt(`k${place}`, { at, correct: place % 5 > 0, ...sibling });
    });
    const last = all.slice(-2);
    for (const arriving of [last, all.slice(1, -2), all.slice(0, 1)]) {
      const results = await record(viewer, [...arriving, attempt(`other ${arriving[0]?.key}`, { cardId: 'c3' })]);
      expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['RECORDED']));
    }
    expect(await store.log(viewer, { ownerIds: [viewer.ownerId] }, ALL)).toHaveLength(506);
    expect((await states(viewer)).get('c1')).toStrictEqual(replay(all.slice(-500), DEFAULT_PRACTICE_SETTINGS));
  });

  test('at a sibling count for the review of the replaced card', async () => {
    const viewer = await newStudent();
    const day = (days: number): Date => new Date(START + days * 86_400_000);
    const first = attempt('k1', { correct: false });
    const sibling = attempt('k2', { cardId: 'c2', reviewOf: 'c1', at: day(2) });
    await record(viewer, [sibling, attempt('k3', { reviewOf: 'nobodys' })]);
    await record(viewer, [first]);
    const derived = await states(viewer);
    expect(derived.get('c1')).toStrictEqual(replay([first, sibling], DEFAULT_PRACTICE_SETTINGS));
    expect(derived.get('c2')).toStrictEqual(replay([sibling], DEFAULT_PRACTICE_SETTINGS));
    await deriveAgain(viewer);
    expect(await states(viewer)).toStrictEqual(derived);
    expect(await store.log(viewer, { ownerIds: [viewer.ownerId] }, ALL)).toHaveLength(2);
  });

  test('that are wrong become occurrences of the card once, if requested', async () => {
    const viewer = await newStudent();
    const wrong = attempt('k1', { correct: false, answer: '24', recordOccurrence: true });
    const others = [attempt('k2', { recordOccurrence: true }), attempt('k3', { correct: false })];
    await record(viewer, [wrong, ...others]);
    await record(viewer, [wrong]);
    const card = (await fixture.cards.byIds(viewer, ['c1'])).get('c1');
    expect(card?.occurrences).toBe(2);
  });

  test('that become occurrences move the time of the mistake to that of the latest one', async () => {
    const viewer = await newStudent();
    const mistake = (key: string, at: string) =>
      attempt(key, { at: new Date(at), correct: false, recordOccurrence: true });
    const occurredAt = async () => (await fixture.cards.byIds(viewer, ['c1'])).get('c1')?.occurredAt;
    const created = await occurredAt();
    await record(viewer, [mistake('k1', '1999-01-01T00:00:00Z')]);
    expect(await occurredAt()).toEqual(created);
    const last = '2999-01-02T00:00:00Z';
    await record(viewer, [mistake('k2', last), mistake('k3', '2999-01-01T00:00:00Z')]);
    expect(await occurredAt()).toEqual(new Date(last));
  });

  test('that become occurrences are reported by the sync feed, and the card is indexed again', async () => {
    const viewer = await newStudent(['c1', 'c2']);
    const feed = new PostgresSyncFeed(fixture.database);
    const { endCursor } = await feed.changes(viewer, { first: 10, after: null });
    await indexEverything(fixture, []);
    let notified = 0;
    const unlisten = fixture.dirty.add(() => {
      notified += 1;
    });
    const mistake = { correct: false, recordOccurrence: true };
    await record(viewer, [attempt('k1', mistake), attempt('k2', mistake), attempt('k3', { cardId: 'c2' })]);
    const { edges } = await feed.changes(viewer, { first: 10, after: endCursor });
    expect(edges.map(({ node: { cardId, card } }) => [cardId, card?.revision, card?.occurrences])).toEqual([
      ['c1', 2, 3],
    ]);
    expect(edges[0]?.node.card?.updatedAt).toEqual(edges[0]?.node.changedAt);
    expect([...(await dirtyRows(fixture, viewer.tenantId)).values()]).toMatchObject([
      { card_id: 'c1', priority: PRIORITY.change },
    ]);
    await until(() => notified === 1, { deadlineMs: 20_000, what: 'the indexer to be notified' });
    unlisten();
  });
});
