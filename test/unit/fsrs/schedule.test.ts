import fc from 'fast-check';
import { type Card, createEmptyCard, fsrs } from 'ts-fsrs';
import { describe, expect, test } from 'vitest';
import { dateOf, dayOf, laterDay, startOfDay } from '../../../src/domain/local-day.js';
import { type Attempt, DEFAULT_PRACTICE_SETTINGS } from '../../../src/domain/practice.js';
import { gradeOf, replay, retrievability } from '../../../src/fsrs/schedule.js';
import { runs } from '../../support/runs.js';

const attempt = (over: Partial<Attempt> = {}): Attempt => ({
  key: 'k',
  cardId: 'c',
  reviewOf: null,
  at: new Date('2026-03-01T08:00:00Z'),
  correct: true,
  hints: 0,
  durationMs: null,
  changedAnswer: false,
  ...over,
});

/** Logs of one card, in order of time: minutes to years between two attempts. */
const logs = fc
  .array(
    fc.record({
      minutes: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1_000_000 })),
      correct: fc.boolean(),
      hints: fc.integer({ min: 0, max: 2 }),
      durationMs: fc.option(fc.integer({ min: 0, max: 600_000 })),
      changedAnswer: fc.boolean(),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((gaps) => {
    let ms = Date.parse('2020-01-01T00:00:00Z');
    return gaps.map(({ minutes, ...rest }, place) => {
      ms += minutes * 60_000;
      return attempt({ ...rest, key: String(place), at: new Date(ms) });
    });
  });

describe('the schedule', () => {
  test('equals ts-fsrs for the same grades, bit by bit', () => {
    fc.assert(
      fc.property(logs, fc.integer({ min: 70, max: 97 }), (log, percent) => {
        const settings = { ...DEFAULT_PRACTICE_SETTINGS, desiredRetention: percent / 100 };
        const scheduler = fsrs({ request_retention: percent / 100 });
        let card: Card = createEmptyCard(log[0]?.at);
        for (const one of log) card = scheduler.next(card, one.at, gradeOf(one)).card;
        const state = replay(log, settings);
        expect(state).toStrictEqual({
          due: card.due,
          stability: card.stability,
          difficulty: card.difficulty,
          scheduledDays: card.scheduled_days,
          learningSteps: card.learning_steps,
          reps: card.reps,
          lapses: card.lapses,
          state: ['NEW', 'LEARNING', 'REVIEW', 'RELEARNING'][card.state],
          lastReview: card.last_review,
        });
        const later = new Date(card.due.getTime() + 86_400_000);
        const ofDays = { ...card, last_review: dateOf(state.lastReview, 'UTC') };
        const expected = fsrs().get_retrievability(ofDays, dateOf(later, 'UTC'), false);
        expect(retrievability(state, later, 'UTC')).toBe(expected);
      }),
      { numRuns: runs(300) },
    );
  });

  test.each([
    ['wrong', { correct: false }, 1],
    ['wrong in a second', { correct: false, durationMs: 1_000 }, 1],
    ['right with a hint', { hints: 1 }, 2],
    ['right after a change', { changedAnswer: true }, 2],
    ['right after four minutes', { durationMs: 240_000 }, 2],
    ['right', {}, 3],
    ['right in a second', { durationMs: 1_000 }, 3],
  ])('an answer that is %s has the grade %#', (_what, over, grade) => {
    expect(gradeOf(attempt(over))).toBe(grade);
  });
});

describe('days between attempts', () => {
  const stateIn = (timeZone: string, ...times: readonly string[]) =>
    replay(
      times.map((at, place) => attempt({ key: String(place), at: new Date(at) })),
      { ...DEFAULT_PRACTICE_SETTINGS, timeZone },
    );

  test('are those of the student, wherever UTC has midnight', () => {
    const [first, again, nextMorning] = ['2026-03-01T23:55:00Z', '2026-03-02T00:05:00Z', '2026-03-02T23:30:00Z'];
    const evening = '2026-03-02T13:00:00Z';
    const sameDay = stateIn('Asia/Shanghai', first, again);
    expect(sameDay.stability).toBe(stateIn('Asia/Shanghai', first).stability);
    expect(sameDay).toMatchObject({ due: new Date('2026-03-04T00:05:00Z'), lastReview: new Date(again) });
    expect(stateIn('Asia/Shanghai', evening, nextMorning).stability).toBe(
      stateIn('UTC', '2026-03-02T13:00:00Z', '2026-03-03T13:00:00Z').stability,
    );
  });

  test.each([
    // Clocks are put back on 25 October 2026 and forward on 29 March.
    ['2026-10-24T00:15:00+02:00', '2026-10-26'],
    ['2026-10-24T12:00:00+02:00', '2026-10-26'],
    ['2026-03-28T23:45:00+01:00', '2026-03-30'],
    ['2026-03-28T12:00:00+01:00', '2026-03-30'],
  ])('are those of the calendar where clocks change: %s and two days are %s', (at, day) => {
    const first = new Date(Date.parse(at) - 600_000).toISOString();
    const { due, scheduledDays } = stateIn('Europe/Berlin', first, at);
    expect([scheduledDays, dayOf(due, 'Europe/Berlin')]).toEqual([2, day]);
  });

  test('are those by which a card is forgotten, so that one that is due today is as well known all day', () => {
    const state = stateIn('Europe/Berlin', '2026-05-01T18:00:00Z', '2026-05-01T18:15:00Z');
    expect(state.scheduledDays).toBe(2);
    const at = (moment: string, timeZone: string) => retrievability(state, new Date(moment), timeZone);
    expect(at('2026-05-02T21:59:00Z', 'Europe/Berlin')).toBeCloseTo(0.947, 3);
    expect(at('2026-05-02T22:00:00Z', 'Europe/Berlin')).toBeCloseTo(0.909, 3);
    expect(at('2026-05-03T06:00:00Z', 'Europe/Berlin')).toBeCloseTo(0.909, 3);
    expect(at('2026-05-03T21:59:00Z', 'Europe/Berlin')).toBeCloseTo(0.909, 3);
    expect(at('2026-05-02T22:00:00Z', 'UTC')).toBeCloseTo(0.947, 3);
    expect(at('2026-04-29T06:00:00Z', 'Europe/Berlin')).toBe(1);
  });
});

describe('a day', () => {
  test.each([
    ['2026-03-01T17:00:00Z', 'Asia/Shanghai', '2026-03-02'],
    ['2026-03-01T17:00:00Z', 'UTC', '2026-03-01'],
    ['2026-03-01T03:00:00Z', 'America/New_York', '2026-02-28'],
    ['2026-03-01T10:30:00Z', 'Pacific/Kiritimati', '2026-03-02'],
  ])('%s in %s is part of %s', (moment, zone, day) => {
    expect(dayOf(new Date(moment), zone)).toBe(day);
  });

  test.each([
    ['2026-03-02', 'Asia/Shanghai', '2026-03-01T16:00:00.000Z'],
    ['2026-03-02', 'Asia/Kathmandu', '2026-03-01T18:15:00.000Z'],
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    // Clocks are put forward at midnight.
    ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
    ['2026-03-02', 'Pacific/Pago_Pago', '2026-03-02T11:00:00.000Z'],
    ['2026-03-02', 'Pacific/Kiritimati', '2026-03-01T10:00:00.000Z'],
  ])('%s begins in %s at %s', (day, zone, moment) => {
    expect(startOfDay(day, zone).toISOString()).toBe(moment);
    expect(laterDay('2028-02-28', 2)).toBe('2028-03-01');
  });
});
