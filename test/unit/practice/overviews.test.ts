import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Card } from '../../../src/domain/card.js';
import type { OwnedAttempt } from '../../../src/domain/ports/practice.js';
import type { Attempt, LabelledCard } from '../../../src/domain/practice.js';
import { atOnce } from '../../../src/domain/steps.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { classOverviewSteps } from '../../../src/practice/class-overview.js';
import { fingerprintSteps, repeatOffenceSteps } from '../../../src/practice/mistake-fingerprint.js';
import { mistakeSteps, trendOf, type Window, withTrend } from '../../../src/practice/mistakes.js';
import { OverviewService } from '../../../src/practice/overview-service.js';
import { StudentModel } from '../../../src/practice/student-model.js';
import { runs } from '../../support/runs.js';

const mistakesOf = (...facts: Parameters<typeof mistakeSteps>) => atOnce(mistakeSteps(...facts));

const NOW = new Date('2026-06-01T00:00:00Z');
const ago = (days: number): Date => new Date(NOW.getTime() - days * 86_400_000);
const WINDOW = { from: null, to: NOW };
const card = (id: string, days: readonly number[], over: Partial<LabelledCard> = {}): LabelledCard => ({
  id,
  ownerId: 'amy',
  difficulty: 3,
  topicTags: ['fractions'],
  errorTypes: ['sign'],
  questionKey: id,
  mistakes: days.map((day) => ({ at: ago(day), errorTypes: over.errorTypes ?? ['sign'] })),
  ...over,
});
const attempt = (cardId: string, days: number, correct: boolean): Attempt => ({
  key: `${cardId} ${days}`,
  cardId,
  reviewOf: null,
  at: ago(days),
  correct,
  hints: 0,
  durationMs: null,
  changedAnswer: false,
});

describe('mistakes', () => {
  test('are the occurrences and wrong attempts of the period, each once', () => {
    const cards = [card('a', [40, 3])];
    const log = [attempt('a', 3, false), attempt('a', 2, false), attempt('a', 1, true), attempt('gone', 1, false)];
    const days = (from: number | null) =>
      mistakesOf(cards, log, { from: from === null ? null : ago(from), to: NOW }).map(({ at }) => at);
    expect(days(null)).toEqual([ago(40), ago(3), ago(2)]);
    expect(days(3)).toEqual([ago(3), ago(2)]);
    expect(mistakesOf(cards, log, { from: null, to: ago(3) })).toHaveLength(1);
    const mistakes = ['sign', 'unit'].map((errorType) => ({ at: ago(3), errorTypes: [errorType] }));
    const ofOneDay = mistakesOf([card('a', [], { mistakes })], log.slice(0, 1), WINDOW);
    expect(ofOneDay.map(({ errorTypes }) => errorTypes)).toEqual([['sign'], ['unit']]);
    const three = ['1', '2', '3'].map((key) => ({ ...attempt('a', 3, false), key }));
    expect(mistakesOf(cards, three, WINDOW).map(({ at }) => at)).toEqual([ago(40), ago(3), ago(3), ago(3)]);
  });

  test('have a trend with an interval that depends on their number', () => {
    const few = trendOf([ago(1), ago(2), ago(40)], NOW);
    expect(few).toMatchObject({ recent: 2, previous: 1 });
    expect(few.low).toBeLessThan(1);
    const many = trendOf([...Array.from({ length: 30 }, (_, day) => ago(day % 28)), ago(40)], NOW);
    expect(many.low).toBeGreaterThan(1);
    expect(trendOf([], NOW)).toMatchObject({ ratio: 1, recent: 0, previous: 0 });
  });
});

/** Days ago of occurrences and wrong attempts, of two errors, and the day that a period begins. */
const daysArb = fc.uniqueArray(fc.double({ min: 0.1, max: 80, noNaN: true }), {
  maxLength: 30,
  selector: (day) => ago(day).getTime(),
});
const history = { signs: daysArb, units: daysArb, attempts: daysArb, days: fc.integer({ min: 1, max: 80 }) };

/** The moments of the last `days` days among these. */
const timesOf = (list: readonly number[], days: number): ReadonlySet<number> =>
  new Set(list.filter((day) => ago(day) >= ago(days)).map((day) => ago(day).getTime()));

describe('a fingerprint', () => {
  const stepsOf = (cards: readonly LabelledCard[], log: readonly Attempt[], inferred = {}, window: Window = WINDOW) =>
    fingerprintSteps({
      cards,
      log,
      mistakes: mistakesOf(cards, log, withTrend(window)),
      inferred: new Map(Object.entries(inferred) as [string, string[]][]),
      model: atOnce(StudentModel.steps(log, new Map(cards.map((one) => [one.id, one])))),
      window,
    });
  const fingerprintOf = (...facts: Parameters<typeof stepsOf>) => atOnce(stepsOf(...facts));

  test('counts errors by topic, stored and inferred separately', () => {
    const bare = card('bare', [5], { errorTypes: [] });
    const unknown = card('unknown', [5], { errorTypes: [], topicTags: [] });
    const cards = [card('a', [9, 2]), card('b', [1], { topicTags: ['fractions', 'area'] }), bare, unknown];
    const { cells, unlabelled } = fingerprintOf(cards, [attempt('a', 1.5, false)], { bare: ['sign'] });
    expect(
      cells.map(({ errorType, topicTag, mistakes, inferred }) => [errorType, topicTag, mistakes, inferred]),
    ).toEqual([
      ['sign', 'fractions', 4, 1],
      ['sign', 'area', 1, 0],
    ]);
    expect(cells[0]).toMatchObject({ lastAt: ago(1), cardIds: ['b', 'a', 'bare'], trend: { recent: 5 } });
    expect(unlabelled).toBe(1);
  });

  test('counts the mistakes of its period alone, and compares 28 days with those before whatever the period is', () => {
    fc.assert(
      fc.property(fc.record(history), ({ signs, units, attempts, days }) => {
        const cards = [
          card('a', signs),
          card('b', units, { errorTypes: ['unit'] }),
          card('c', units, { errorTypes: [] }),
        ];
        const log = attempts.map((day) => attempt('a', day, false));
        const inferred = { c: ['guess'] };
        const of = (window: Window) => fingerprintOf(cards, log, inferred, window);
        const [whole, { cells, mostWorth }] = [of(WINDOW), of({ from: ago(days), to: NOW })];
        const trendOfError = new Map(whole.cells.map(({ errorType, trend }) => [errorType, trend]));
        for (const cell of [...cells, ...mostWorth]) expect(cell.trend).toEqual(trendOfError.get(cell.errorType));
        const counts = Object.entries({ sign: [...signs, ...attempts], unit: units, guess: units })
          .map(([errorType, all]) => [errorType, timesOf(all, days).size] as const)
          .filter(([, count]) => count !== 0);
        expect(new Map(cells.map((cell) => [cell.errorType, cell.mistakes + cell.inferred]))).toEqual(new Map(counts));
      }),
      { numRuns: runs(200) },
    );
  });

  test('looks at 22 mistakes of an error four times, and at 30 attempts, each time in a step of its own', () => {
    const log = Array.from({ length: 30 }, (_, place) => attempt('a', place + 0.5, place % 3 === 0));
    expect([...stepsOf([card('a', [40, 50])], log)].length).toBeGreaterThanOrEqual(4 * 22 + log.length);
  });

  test('ranks recent errors that are not mastered as most important, each once', () => {
    const old = Array.from({ length: 4 }, (_, place) => card(`old${place}`, [200], { errorTypes: ['old'] }));
    const recent = card('recent', [1, 2], { errorTypes: ['recent'], topicTags: ['area', 'fractions'] });
    const { mostWorth } = fingerprintOf([...old, recent], [attempt('recent', 1, false)]);
    expect(mostWorth.map(({ errorType }) => errorType)).toEqual(['recent', 'old']);
    expect(mostWorth[0]?.score).toBeGreaterThan(mostWorth[1]?.score ?? 1);
  });

  test('lists errors that recurred after right answers', () => {
    const cards = [card('a', [30]), card('b', [10]), card('c', [20, 1], { errorTypes: ['unit'] })];
    const log = [attempt('a', 20, true), attempt('a', 15, true), attempt('b', 5, true), attempt('b', 4, false)];
    const offences = atOnce(repeatOffenceSteps(mistakesOf(cards, log, WINDOW), cards, log));
    expect(offences).toEqual([{ errorType: 'sign', times: 2, lastAt: ago(4), rightBetween: 1, cardId: 'b' }]);
  });
});

describe('an overview of a class', () => {
  const of = (ownerId: string, one: LabelledCard): LabelledCard => ({ ...one, id: `${ownerId}-${one.id}`, ownerId });
  const students = ['amy', 'ben', 'cyd'];
  const cards = [
    ...students.map((owner) => of(owner, card('shared', [2], { questionKey: 'same' }))),
    of('amy', card('own', [9], { errorTypes: ['unit'], topicTags: ['area'] })),
    ...[1, 3, 10].map((day) => of('ben', card(`ben${day}`, [day], { topicTags: ['angles'] }))),
  ];
  const right = [{ ownerId: 'ben', cardId: 'ben-ben1', count: 1 }];
  const complete = { wrong: [], wrongFrom: null, right: [] };
  const overviewOf = (minStudents: number) =>
    atOnce(classOverviewSteps({ ...complete, cards, right, window: WINDOW, minStudents }));

  test('counts students and mistakes', () => {
    const overview = overviewOf(1);
    expect(overview.students).toBe(3);
    expect(overview.errors).toEqual([
      { kind: 'errorTypes', name: 'sign', students: 3, mistakes: 6 },
      { kind: 'errorTypes', name: 'unit', students: 1, mistakes: 1 },
    ]);
    expect(overview.questions[0]).toEqual({ cardId: 'amy-shared', students: 3, mistakes: 3 });
    expect(overview.needsHelp).toEqual([{ ownerId: 'ben', topicTag: 'angles', mistakes: 3, attempts: 1, right: 1 }]);
    expect(overview.changes[0]).toEqual({ kind: 'errorTypes', name: 'sign', thisWeek: 5, lastWeek: 1 });
    expect(overview.suppressed).toBe(0);
  });

  test('counts the mistakes of its period alone, and compares two weeks whatever the period is', () => {
    fc.assert(
      fc.property(fc.record(history), ({ signs, units, attempts, days }) => {
        const all = [card('a', signs), card('b', units, { errorTypes: ['unit'] })];
        const wrong = attempts.map((day) => ({ ...attempt('a', day, false), ownerId: 'ben' }));
        const of = (window: Window) =>
          atOnce(classOverviewSteps({ ...complete, cards: all, wrong, window, minStudents: 1 }));
        const [whole, part] = [of(WINDOW), of({ from: ago(days), to: NOW })];
        expect(part.changes).toEqual(whole.changes);
        const mistakesIn = (list: readonly number[]) => timesOf(list, days).size;
        const [amy, ben] = [mistakesIn([...signs, ...units]), mistakesIn(attempts)];
        expect(part.students).toBe(Math.sign(amy) + Math.sign(ben));
        expect(part.needsHelp.find(({ ownerId }) => ownerId === 'ben')?.mistakes ?? 0).toBe(ben >= 3 ? ben : 0);
      }),
      { numRuns: runs(200) },
    );
  });

  test('suppresses labels and questions that concern few students', () => {
    const overview = overviewOf(2);
    expect([...overview.errors, ...overview.topics].map(({ name }) => name)).toEqual(['sign', 'fractions']);
    expect(overview.questions).toHaveLength(1);
    expect(overview.changes.map(({ name }) => name)).toEqual(['sign', 'fractions']);
    // An error, two topics, four questions.
    expect(overview.suppressed).toBe(7);
  });

  test("counts a student's attempt at another owner's card for the student", () => {
    const [shared] = cards as [LabelledCard];
    const wrong: OwnedAttempt = { ...attempt(shared.id, 1, false), ownerId: 'dan' };
    const facts = { ...complete, cards: [shared], wrong: [wrong] };
    const overview = atOnce(classOverviewSteps({ ...facts, window: WINDOW, minStudents: 1 }));
    expect(overview.questions).toEqual([{ cardId: 'amy-shared', students: 2, mistakes: 2 }]);
  });
});

describe('overviews', () => {
  const teacher: Viewer = { tenantId: 'north', ownerId: 'tess', role: 'teacher' };
  const signal = new AbortController().signal;
  const examined = card('of the teacher', [1, 2], { ownerId: 'tess', errorTypes: ['sign'] });
  let log: readonly OwnedAttempt[] = [];
  let own = [card('a', [1], { errorTypes: [] })];
  let others = [examined];
  let suggestions = 0;
  const service = new OverviewService({
    attempts: {
      log: async (_viewer, _which, { after, correct }) =>
        log.filter((one) => (!after || one.at >= after) && (correct === undefined || one.correct === correct)),
      rightAnswers: async () => [],
    },
    overviews: {
      cards: async (_viewer, which) => ('cardIds' in which ? [...own, ...others] : own),
      group: async (_viewer, name) => (name === '6a' ? { name, owners: ['amy'] } : null),
    },
    cards: {
      byIds: async (_viewer, ids) =>
        new Map(
          ids.map((id) => [
            id,
            { id, questionText: 'q', choices: [] as readonly string[], studentSolutionText: null } as Card,
          ]),
        ),
    },
    suggester: {
      suggest: async () => {
        suggestions += 1;
        return [
          { tag: 'fractions', perspective: 'concept', score: 0.9, cards: 3 },
          { tag: 'sign', perspective: 'error', score: 0.6, cards: 3 },
        ];
      },
    },
    minStudents: 1,
  });
  beforeEach(() => {
    log = [];
    own = [card('a', [1], { errorTypes: [] })];
    others = [examined];
    suggestions = 0;
  });

  test('infer the error of a card without error types', async () => {
    const { cells } = await service.fingerprint(teacher, 'amy', WINDOW, signal);
    expect(cells).toMatchObject([{ errorType: 'sign', mistakes: 0, inferred: 1, cards: [{ id: 'a' }] }]);
  });

  test('infer the error of wrong attempts, also at cards of others', async () => {
    own = [card('a', [40], { errorTypes: [] })];
    others = [card('examined', [1], { ownerId: 'tess', errorTypes: [] })];
    log = ['a', 'examined'].map((id) => ({ ...attempt(id, 2, false), ownerId: 'amy' }));
    const { cells } = await service.fingerprint(teacher, 'amy', { from: ago(5), to: NOW }, signal);
    expect(cells).toMatchObject([{ errorType: 'sign', mistakes: 0, inferred: 2 }]);
    expect(cells[0]?.trend).toMatchObject({ recent: 2, previous: 1 });
  });

  test('infer the errors of the 20 cards of the latest mistakes at most', async () => {
    own = Array.from({ length: 30 }, (_, day) => card(`${day}`, [day + 1], { errorTypes: [] })).reverse();
    const { cells, unlabelled } = await service.fingerprint(teacher, 'amy', WINDOW, signal);
    expect(cells).toMatchObject([{ inferred: 20, lastAt: ago(1) }]);
    expect([suggestions, unlabelled]).toEqual([20, 10]);
  });

  test('of classes are refused for unknown groups', async () => {
    const query = { group: '6a', owners: null, window: WINDOW };
    expect((await service.classOverview(teacher, query, signal)).students).toBe(1);
    await expect(service.classOverview(teacher, { ...query, group: '6b' }, signal)).rejects.toThrow(/no group/);
  });

  test("of classes count wrong attempts at the teacher's cards, but not the occurrences of those cards", async () => {
    log = [{ ...attempt(examined.id, 3, false), ownerId: 'amy' }];
    const { errors, students } = await service.classOverview(
      teacher,
      { group: '6a', owners: null, window: WINDOW },
      signal,
    );
    expect(errors).toEqual([{ kind: 'errorTypes', name: 'sign', students: 1, mistakes: 1 }]);
    expect(students).toBe(1);
  });

  test('of classes compare two weeks, also where their period is shorter', async () => {
    log = [10, 9, 2].map((days) => ({ ...attempt(examined.id, days, false), ownerId: 'amy' }));
    const query = { group: '6a', owners: null, window: { from: ago(5), to: NOW } };
    const { errors, changes } = await service.classOverview(teacher, query, signal);
    expect(errors).toMatchObject([{ name: 'sign', mistakes: 1 }]);
    expect(changes).toContainEqual({ kind: 'errorTypes', name: 'sign', thisWeek: 1, lastWeek: 2 });
  });
});
