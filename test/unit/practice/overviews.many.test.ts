import { beforeEach, describe, expect, test } from 'vitest';
import { groupedBy } from '../../../src/domain/grouped.js';
import type { LogRange, OwnedAttempt } from '../../../src/domain/ports/practice.js';
import type { LabelledCard } from '../../../src/domain/practice.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { OverviewService } from '../../../src/practice/overview-service.js';

const NOW = new Date('2026-06-01T00:00:00Z');
const ago = (days: number): Date => new Date(NOW.getTime() - days * 86_400_000);
const WINDOW = { from: null, to: NOW };
const CARD: LabelledCard = {
  ...{ id: 'a', ownerId: 'tess', difficulty: 3, topicTags: ['fractions'], errorTypes: ['sign'] },
  ...{ questionKey: 'a', mistakes: [] },
};

function attempt(ownerId: string, days: number, correct: boolean): OwnedAttempt {
  return {
    ...{ key: `${ownerId} ${days}`, ownerId, cardId: 'a', reviewOf: null, at: ago(days), correct },
    ...{ hints: 0, durationMs: null, changedAnswer: false },
  };
}

/** Attempts at the same pace until now. */
function many(ownerId: string, count: number, days: number, correct: boolean): readonly OwnedAttempt[] {
  return Array.from({ length: count }, (_, place) => attempt(ownerId, (days * (place + 1)) / count, correct));
}

describe('an overview of more attempts than it reads', () => {
  const unexpected = () => Promise.reject(new Error('unexpected call'));
  const teacher: Viewer = { tenantId: 'north', ownerId: 'tess', role: 'teacher' };
  const { signal } = new AbortController();
  let log: readonly OwnedAttempt[] = [];
  let ranges: LogRange[] = [];
  let own: readonly LabelledCard[] = [];
  /** The ids of the cards that were read. */
  let asked: (readonly string[])[] = [];
  const read = (range: LogRange): readonly OwnedAttempt[] => {
    ranges.push(range);
    const { after, before, correct, limit } = range;
    return log
      .filter(({ at }) => (!after || at >= after) && (!before || at < before))
      .filter((one) => correct === undefined || one.correct === correct)
      .sort((a, b) => a.at.getTime() - b.at.getTime())
      .slice(-limit);
  };
  const service = new OverviewService({
    attempts: {
      log: async (_viewer, _which, range) => read(range),
      rightAnswers: async (_viewer, _owners, range) =>
        [...groupedBy(read({ ...range, correct: true, limit: log.length }), ({ ownerId }) => ownerId)].map(
          ([ownerId, own]) => ({ ownerId, cardId: 'a', count: own.length }),
        ),
    },
    overviews: {
      cards: async (_viewer, which) => {
        if (!('cardIds' in which)) return own;
        asked.push(which.cardIds);
        return [CARD];
      },
      group: unexpected,
    },
    cards: { byIds: async () => new Map() },
    suggester: { suggest: unexpected },
    minStudents: 1,
  });
  const ofClass = () => service.classOverview(teacher, { group: null, owners: ['amy', 'ben'], window: WINDOW }, signal);
  beforeEach(() => {
    [log, own, asked] = [[], [], []];
  });

  test('compares two weeks, however many right answers there are', async () => {
    log = [...many('ben', 50_000, 5, true), ...[10, 9, 2].map((days) => attempt('amy', days, false))];
    const { changes } = await ofClass();
    expect(changes).toContainEqual({ kind: 'errorTypes', name: 'sign', thisWeek: 1, lastWeek: 2 });
  });

  test('claims no change if its wrong attempts do not reach back two weeks', async () => {
    log = [...many('ben', 50_000, 10, false), ...many('amy', 50_000, 13, false)];
    expect((await ofClass()).changes).toEqual([]);
    log = many('ben', 49_999, 10, false);
    expect((await ofClass()).changes).not.toEqual([]);
  });

  test('tells who needs help, however many right answers others give', async () => {
    log = [...[20, 20.1, 20.2].map((days) => attempt('amy', days, false)), ...many('ben', 50_000, 5, true)];
    const { needsHelp } = await ofClass();
    expect(needsHelp).toEqual([{ ownerId: 'amy', topicTag: 'fractions', mistakes: 3, attempts: 3, right: 0 }]);
  });

  test('counts right answers before those of others', async () => {
    log = [...[20, 20.1, 20.2].map((days) => attempt('amy', days, false)), ...many('ben', 50_000, 5, true)];
    log = [...log, ...[19, 18, 17].map((days) => attempt('amy', days, true))];
    expect((await ofClass()).needsHelp).toEqual([]);
  });

  test('compares mistakes with right answers of the same time', async () => {
    log = [...many('amy', 50_000, 5, false), ...many('amy', 50_000, 20, true)];
    const { needsHelp } = await ofClass();
    // The right answers of the last 5 of 20 days.
    expect(needsHelp).toMatchObject([{ ownerId: 'amy', mistakes: 50_000, attempts: 62_500, right: 12_500 }]);
  });

  test('of a student counts all mistakes and compares 28 days, however many right answers there are', async () => {
    log = [...many('amy', 5_000, 5, true), ...[40, 39, 2].map((days) => attempt('amy', days, false))];
    const { cells } = await service.fingerprint(teacher, 'amy', WINDOW, signal);
    expect(cells).toMatchObject([{ errorType: 'sign', mistakes: 3, trend: { recent: 1, previous: 2 } }]);
  });

  test('of a student counts each wrong attempt at the time of the oldest one that it models', async () => {
    const atOnce = ['x', 'y', 'z'].map((key) => ({ ...attempt('amy', 40, false), key }));
    log = [...atOnce, ...many('amy', 4_998, 5, true)];
    const { cells } = await service.fingerprint(teacher, 'amy', WINDOW, signal);
    expect(cells).toMatchObject([{ errorType: 'sign', mistakes: 3 }]);
  });

  test("of a student reads none of the student's cards again for earlier mistakes", async () => {
    own = [{ ...CARD, id: 'b', ownerId: 'amy', errorTypes: ['unit'] }];
    const earlier = [41, 40].map((days) => ({ ...attempt('amy', days, false), cardId: 'b' }));
    log = [...earlier, ...many('amy', 5_000, 5, true)];
    const { cells } = await service.fingerprint(teacher, 'amy', WINDOW, signal);
    expect(cells).toMatchObject([{ errorType: 'unit', mistakes: 2 }]);
    expect(asked).toEqual([['a']]);
  });

  test('of a student reads no attempt before its period and the 56 days of its trends', async () => {
    log = many('amy', 5_000, 5, true);
    ranges = [];
    await service.fingerprint(teacher, 'amy', { from: ago(10), to: NOW }, signal);
    expect(ranges.map(({ after }) => after)).toEqual([undefined, ago(56)]);
  });
});
