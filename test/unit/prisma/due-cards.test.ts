import { FSRS } from 'ts-fsrs';
import { describe, expect, test, vi } from 'vitest';
import { PostgresReviewStore } from '../../../prisma/practice/reviews.js';
import { DEFAULT_PRACTICE_SETTINGS } from '../../../src/domain/practice.js';
import { replay } from '../../../src/fsrs/schedule.js';
import { attempt, practiceWorld, reviewsOf, START } from './practice-world.js';

const { fixture, settingsStore, newStudent, record, states } = await practiceWorld();

describe('another retention', () => {
  test('is stored with the due dates that follow from it, or not at all', async () => {
    const viewer = await newStudent();
    await record(viewer, [attempt('k1')]);
    const before = await states(viewer);
    const failing = vi.spyOn(FSRS.prototype, 'next').mockImplementation(() => {
      throw new Error('the gateway ended');
    });
    await expect(settingsStore.save(viewer, { desiredRetention: 0.8 })).rejects.toThrow('the gateway ended');
    failing.mockRestore();
    expect(await settingsStore.settings(viewer, [viewer.ownerId])).toEqual(new Map());
    expect(await states(viewer)).toStrictEqual(before);
  });

  test('changes due dates', async () => {
    const viewer = await newStudent();
    const days = [0, 3, 12];
    const log = days.map((day) => attempt(`k${day}`, { at: new Date(START + day * 86_400_000) }));
    await record(viewer, log);
    const before = (await states(viewer)).get('c1');
    const settings = { ...DEFAULT_PRACTICE_SETTINGS, desiredRetention: 0.8 };
    expect(await settingsStore.save(viewer, { desiredRetention: 0.8 })).toEqual(settings);
    const after = (await states(viewer)).get('c1');
    expect(after).toStrictEqual(replay(log, settings));
    expect(after?.due.getTime()).toBeGreaterThan(before?.due.getTime() ?? Number.POSITIVE_INFINITY);
  });
});

describe('another time zone', () => {
  test('schedules all cards anew, by the days of that zone', async () => {
    const viewer = await newStudent();
    const times = ['2026-03-01T23:55:00Z', '2026-03-02T00:05:00Z'];
    const log = times.map((at, place) => attempt(`k${place}`, { at: new Date(at) }));
    await record(viewer, log);
    const settings = await settingsStore.save(viewer, { timeZone: 'Asia/Shanghai' });
    const after = (await states(viewer)).get('c1');
    expect(after).toStrictEqual(replay(log, settings));
    expect(after).not.toEqual(replay(log, DEFAULT_PRACTICE_SETTINGS));
  });
});

describe('what is due', () => {
  const reviews = () => new PostgresReviewStore(fixture.database);

  test('includes a card in a learning step from its time on, not right after the attempt', async () => {
    const viewer = await newStudent(['c1']);
    await record(viewer, [attempt('k1', { cardId: 'c1' })]);
    const dueBefore = new Date(START + 86_400_000);
    const dueAt = async (minutes: number) => {
      const at = new Date(START + minutes * 60_000);
      return (
        await reviews().due(viewer, { filter: {}, at, dueBefore, maxCards: 10, practisedSince: dueBefore, maxNew: 10 })
      ).entries.length;
    };
    expect([await dueAt(0), await dueAt(5), await dueAt(15)]).toEqual([0, 0, 1]);
  });

  test('is known of the own cards that were attempted', async () => {
    const viewer = await newStudent(['c1', 'c2']);
    await record(viewer, [attempt('k1', { cardId: 'c1' })]);
    const own = await reviews().states(viewer, ['c1', 'c2', 'nothing']);
    expect(own).toEqual(new Map([['c1', (await states(viewer)).get('c1')]]));
    for (const other of [
      { ...viewer, ownerId: 'ben' },
      { ...viewer, ownerId: 'ada', role: 'admin' as const },
    ]) {
      expect(await reviews().states(other, ['c1'])).toEqual(new Map());
    }
  });

  test('is ordered by due date, then the newest cards, and filtered', async () => {
    const viewer = await newStudent(['old', 'older', 'later', 'new', 'newer', 'physics']);
    await fixture.cards.update(viewer, 'physics', { subject: 'physics' }, null);
    const at = (day: number): Date => new Date(START + day * 86_400_000);
    await record(viewer, [
      attempt('k1', { cardId: 'old', at: at(1), correct: false }),
      attempt('k2', { cardId: 'older', at: at(0), correct: false }),
      attempt('k3', { cardId: 'later', at: at(3) }),
      attempt('k4', { cardId: 'physics', at: at(0), correct: false }),
    ]);
    const request = {
      ...{ filter: { subject: ['math'] }, at: at(2), dueBefore: at(2) },
      ...{ maxCards: 10, practisedSince: at(2), maxNew: 10 },
    };
    const { entries, dueReviews } = await reviews().due(viewer, request);
    expect(entries.map(({ cardId }) => cardId)).toEqual(['older', 'old', 'newer', 'new']);
    expect(dueReviews).toBe(2);
    expect(entries[0]?.review).toStrictEqual(
      (await reviewsOf(fixture.database, viewer, 'amy', ['older'])).get('older'),
    );
    const one = await reviews().due(viewer, { ...request, maxCards: 1 });
    expect(one).toMatchObject({ entries: [{ cardId: 'older' }], dueReviews: 2 });
    const today = await reviews().due(viewer, { ...request, maxCards: 1, practisedSince: at(1) });
    expect(today.entries.map(({ cardId }) => cardId)).toEqual(['older', 'old']);
    const again = await reviews().due(viewer, { ...request, maxCards: 1, practisedSince: at(0) });
    expect(again.entries.map(({ cardId }) => cardId)).toEqual(['older', 'old', 'newer']);
    const three = await reviews().due(viewer, { ...request, maxCards: 3 });
    expect(three.entries.map(({ cardId }) => cardId)).toEqual(['older', 'old', 'newer']);
    const done = await reviews().done(viewer, at(1), at(4));
    expect([...done.cardIds].sort()).toEqual(['later', 'old']);
    expect(done.firstTime).toBe(2);
    const bounds = [at(1), at(2), at(3), at(40)];
    expect(await reviews().forecast(viewer, bounds)).toEqual([2, 1, 0, 1]);
  });

  test('a new card is practised for the first time when its sibling is answered, not the sibling', async () => {
    const viewer = await newStudent(['new', 'seen', 'due', 'sibling']);
    const at = (day: number): Date => new Date(START + day * 86_400_000);
    await record(viewer, [
      attempt('k1', { cardId: 'seen', at: at(0) }),
      attempt('k2', { cardId: 'due', at: at(0) }),
      attempt('k3', { cardId: 'seen', reviewOf: 'new', at: at(1) }),
      attempt('k4', { cardId: 'sibling', reviewOf: 'due', at: at(1) }),
      attempt('k5', { cardId: 'sibling', at: at(1.5) }),
      attempt('k6', { cardId: 'new', at: at(2) }),
      attempt('k7', { cardId: 'seen', reviewOf: 'due', at: at(3) }),
      attempt('k8', { cardId: 'sibling', reviewOf: 'due', at: at(3.1) }),
    ]);
    const done = async (day: number) => {
      const { cardIds, served, firstTime } = await reviews().done(viewer, at(day), at(day + 1));
      return [[...cardIds].sort(), served, firstTime];
    };
    expect(await done(1)).toEqual([['seen', 'sibling'], 2, 1]);
    expect(await done(2)).toEqual([['new'], 1, 0]);
    expect(await done(3)).toEqual([['seen', 'sibling'], 1, 0]);
  });
});
