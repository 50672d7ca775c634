import fc from 'fast-check';
import { clipParameters, dateDiffInDays, default_w, forgetting_curve } from 'ts-fsrs';
import { describe, expect, test } from 'vitest';
import { attemptsOf, someParameters } from '../../../bench/reviewers.js';
import type { TakeTurn } from '../../../src/domain/background.js';
import { type Attempt, DEFAULT_PRACTICE_SETTINGS } from '../../../src/domain/practice.js';
import { atOnce } from '../../../src/domain/steps.js';
import { seededRandom } from '../../../src/evaluation/random.js';
import { mean } from '../../../src/evaluation/statistics.js';
import { fitSchedule, isBetter } from '../../../src/fsrs/fit.js';
import { historySteps, logLosses, predictions } from '../../../src/fsrs/memory.js';
import { replay, retrievability } from '../../../src/fsrs/schedule.js';
import { runs } from '../../support/runs.js';
import { studentOf } from './simulated-student.js';

const now: TakeTurn = async (step) => step();
const EVER = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

describe('what FSRS predicts of a log', () => {
  test('is what the schedule has in its states, for any parameters and siblings', () => {
    const logs = fc.array(
      fc.record({
        card: fc.integer({ min: 1, max: 3 }),
        of: fc.integer({ min: 1, max: 3 }),
        hours: fc.nat(400),
        correct: fc.boolean(),
      }),
      { minLength: 1, maxLength: 25 },
    );
    fc.assert(
      fc.property(logs, fc.nat(), (moves, seed) => {
        const weights = someParameters(seededRandom(seed), 1);
        let ms = Date.parse('2026-01-01T12:00:00Z');
        const log = moves.map(({ card, of, hours, correct }, place): Attempt => {
          ms += hours * 3_600_000;
          const sibling = of === card ? null : `c${of}`;
          const made = { key: `${place}`, cardId: `c${card}`, reviewOf: sibling, at: new Date(ms), correct };
          return { ...made, hints: 0, durationMs: null, changedAnswer: false };
        });
        const predicted = [...predictions(atOnce(historySteps(log, 'UTC')), weights)].map(([, recalled]) => recalled);
        const expected = ['c1', 'c2', 'c3'].flatMap((id) => {
          const own = log.filter(({ cardId, reviewOf }) => cardId === id || reviewOf === id);
          return own.flatMap(({ at }, place) => {
            if (place === 0) return [];
            const { stability, lastReview } = replay(own.slice(0, place), DEFAULT_PRACTICE_SETTINGS, weights);
            const days = dateDiffInDays(lastReview, at);
            return days === 0
              ? []
              : [Math.min(1 - 1e-4, Math.max(1e-4, forgetting_curve([...weights], days, stability)))];
          });
        });
        expect(predicted.sort()).toEqual(expected.sort());
        expect([...historySteps(log, 'UTC')]).toHaveLength(log.length);
      }),
    );
  });

  test('is by the parameters that the state was derived by', () => {
    const [first] = studentOf(1, 0, 5).log as [Attempt];
    const weights = default_w.map((weight, place) => (place === 20 ? 2 * weight : weight));
    const state = replay([first], DEFAULT_PRACTICE_SETTINGS, weights);
    const later = new Date(first.at.getTime() + 40 * 86_400_000);
    expect(retrievability(state, later, 'UTC', weights)).toBe(forgetting_curve(weights, 40, state.stability));
    expect(retrievability(state, later, 'UTC', weights)).not.toBe(retrievability(state, later, 'UTC'));
  });
});

describe('parameters fitted to a student', () => {
  test('are within the limits of FSRS, the same each time, better on what they were fitted to, and used only if better on the rest', async () => {
    const students = fc.record({
      seed: fc.integer({ min: 1, max: 10_000 }),
      spread: fc.double({ min: 0, max: 1.5, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(students, async ({ seed, spread }) => {
        const { log } = studentOf(seed, spread, 80);
        const fit = await fitSchedule(log, 'UTC', now);
        if (fit === null) return;
        const { weights, isUsed, reviews, heldOutReviews, defaultLogLoss, logLoss } = fit;
        expect(clipParameters([...weights], 1)).toEqual(weights);
        expect(await fitSchedule(log, 'UTC', now)).toEqual(fit);
        if (isUsed) expect(logLoss).toBeLessThan(defaultLogLoss);
        const histories = atOnce(historySteps(log, 'UTC'));
        const atMs = histories.flatMap((steps) => steps.filter(({ days }) => days > 0).map((step) => step.atMs));
        expect(reviews).toBe(atMs.length);
        const splitMs = atMs.sort((a, b) => a - b)[reviews - heldOutReviews] as number;
        const fitted = (by: readonly number[]) => mean(logLosses(histories, by, [EVER[0], splitMs]));
        expect(fitted(weights)).toBeLessThanOrEqual(fitted(default_w));
        expect(mean(logLosses(histories, weights, [splitMs, EVER[1]]))).toBeCloseTo(logLoss, 10);
      }),
      { numRuns: runs(15) },
    );
  });

  test.each([
    ['four times as long', 4],
    ['a quarter as long', 1 / 4],
  ])('find that somebody remembers %s after the first answer', async (_what, factor) => {
    const parameters = clipParameters(
      default_w.map((weight, place) => (place < 4 ? factor * weight : weight)),
      1,
    );
    const log = [...attemptsOf({ parameters, cards: 150, days: 200, random: seededRandom(3) }).keys()];
    const { weights } = (await fitSchedule(log, 'UTC', now)) ?? { weights: [] };
    // Later answers say less of it, and people differ in it by a factor of e.
    const found = Math.log((weights[2] as number) / (default_w[2] as number)) / Math.log(factor);
    expect(found).toBeGreaterThan(0.3);
    expect(found).toBeLessThan(1.7);
  });

  test('need 400 reviews', async () => {
    const { log } = studentOf(1, 1, 20);
    expect(await fitSchedule(log, 'UTC', now)).toBeNull();
    expect(await fitSchedule([], 'UTC', now)).toBeNull();
  });

  test('are better only by more than chance', () => {
    const [low, high] = [Array.from({ length: 50 }, () => 0.3), Array.from({ length: 50 }, () => 0.4)];
    expect(isBetter(high, low)).toBe(true);
    expect(isBetter(low, high)).toBe(false);
    expect(isBetter(low, low)).toBe(false);
    expect(isBetter([1.3, ...low.slice(1)], [0.3, 0.8, ...low.slice(2)])).toBe(false);
  });
});
