import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BadInputError } from '../../../src/domain/errors.js';
import type { GoldenCase } from '../../../src/domain/golden.js';
import { parseProfile } from '../../../src/domain/parse/profile.js';
import type { ProfileSettings } from '../../../src/domain/search.js';
import {
  ascend,
  HYPERPARAMETERS,
  partsOf,
  trainTestSplit,
} from '../../../src/evaluation/learning/coordinate-ascent.js';
import { isGain, Tuner, type TunerParts } from '../../../src/evaluation/learning/tuner.js';
import { compare, RESAMPLING } from '../../../src/evaluation/statistics.js';
import { BUILTIN_SETTINGS } from '../../../src/search/profile.js';
import type { Rescorer } from '../../../src/search/rescoring.js';
import { cardOf } from '../../support/generators.js';

const viewer = { tenantId: 'school', ownerId: 'anna', role: 'teacher' } as const;
const { signal } = new AbortController();

function caseOf(id: string, text = id): GoldenCase {
  return {
    id,
    operation: 'hybridSearch',
    subject: { kind: 'text', text },
    filter: {},
    perspective: null,
    judgements: [{ cardId: 'right', grade: 1, reason: null }],
    reason: null,
  };
}

describe('the train/test split of a golden set', () => {
  const cases = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 30 });

  test('have every case once, and no question in both', () => {
    fc.assert(
      fc.property(cases, fc.integer(), (texts, seed) => {
        const all = texts.map((text, place) => caseOf(`${place}`, text));
        const { training, test: held } = trainTestSplit(all, seed);
        expect([...training, ...held].map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(
          texts.map((_, i) => i),
        );
        const asked = (half: readonly GoldenCase[]) => new Set(half.map(({ subject }) => JSON.stringify(subject)));
        for (const question of asked(training)) expect(asked(held).has(question)).toBe(false);
        expect(Math.abs(asked(training).size - asked(held).size)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('are the same for the same seed', () => {
    const all = Array.from({ length: 50 }, (_, place) => caseOf(`${place}`));
    expect(partsOf(all, 5, 7)).toEqual(partsOf(all, 5, 7));
    expect(partsOf(all, 5, 7)).not.toEqual(partsOf(all, 5, 8));
  });
});

describe('the ascent', () => {
  test('finds the optimum of independent settings, and never ends below its start', async () => {
    const shares = fc.constantFrom(0, 0.25, 0.5, 0.75, 1);
    await fc.assert(
      fc.asyncProperty(shares, shares, async (lexicalShare, inferredWeight) => {
        const objective = async (given: ProfileSettings): Promise<readonly number[]> => [
          1 - Math.abs(given.lexicalShare - lexicalShare) - Math.abs(given.inferredWeight - inferredWeight),
        ];
        const found = await ascend(BUILTIN_SETTINGS, HYPERPARAMETERS, [0], objective);
        expect(found.lexicalShare).toBe(lexicalShare);
        const most = Math.min(...[0, 0.2, 0.55, 0.7].map((choice) => Math.abs(choice - inferredWeight)));
        expect(Math.abs(found.inferredWeight - inferredWeight)).toBeCloseTo(most, 12);
      }),
    );
  });

  test('stays at its start if nothing is better, and only uses the given cases', async () => {
    const objective = async ({ lexicalShare }: ProfileSettings): Promise<readonly number[]> => [0.5, lexicalShare];
    expect(await ascend(BUILTIN_SETTINGS, HYPERPARAMETERS, [0], objective)).toBe(BUILTIN_SETTINGS);
    expect((await ascend(BUILTIN_SETTINGS, HYPERPARAMETERS, [1], objective)).lexicalShare).toBe(1);
  });

  test('only tries settings that a profile may have', () => {
    for (const { choices } of HYPERPARAMETERS)
      for (const settings of choices)
        expect(() => parseProfile({ name: 'x', settings }, 'profile', BUILTIN_SETTINGS)).not.toThrow();
  });
});

describe('tuning', () => {
  /** A world in which the right card comes first exactly where the words alone are asked, in a share of the cases. */
  function tunerWhere(wordsHelp: (place: number) => boolean, mostCases?: number): Tuner {
    const rescorerOf = (helped: boolean): Rescorer => ({
      cardIds: ['right', 'wrong'],
      filtersOut: (cardId) => cardId === 'filtered',
      byLane: () => [],
      narrowed: () => rescorerOf(helped),
      byRequest: ({ lexicalShare }) => ((lexicalShare === 1) === helped ? ['right', 'wrong'] : ['wrong', 'right']),
    });
    const parts: TunerParts = {
      rescorers: {
        rescorer: async (_viewer, { subject }) =>
          rescorerOf(subject.kind === 'text' && wordsHelp(Number(subject.text))),
      },
      cards: {
        byIds: async (_viewer, ids) => new Map(ids.flatMap((id) => (id === 'gone' ? [] : [[id, cardOf({ id })]]))),
      },
      takeTurn: async (step) => step(),
      statistics: { difference: async (_tenant, { before, after }) => compare(before, after, RESAMPLING) },
    };
    return new Tuner(parts, mostCases);
  }
  const cases = Array.from({ length: 40 }, (_, place) => caseOf(`${place}`));

  test('finds a general improvement, and cross-validation confirms it', async () => {
    const tuned = await tunerWhere(() => true).tune(viewer, cases, BUILTIN_SETTINGS, () => undefined, signal);
    expect(tuned.settings).toEqual({ ...BUILTIN_SETTINGS, lexicalShare: 1 });
    expect(tuned.crossValidated).toMatchObject({ higher: 40, lower: 0, supported: true });
  });

  test('cross-validation shows no gain if an improvement on some cases hurts others', async () => {
    const tuned = await tunerWhere((place) => place % 2 === 0).tune(
      viewer,
      cases,
      BUILTIN_SETTINGS,
      () => undefined,
      signal,
    );
    expect(tuned.crossValidated.supported && tuned.crossValidated.value > 0).toBe(false);
  });

  test('omits cases whose cards are deleted or left out by the filter, reports how many, and ignores deleted judged cards', async () => {
    const [first, second, third, fourth, ...others] = cases as [
      GoldenCase,
      GoldenCase,
      GoldenCase,
      GoldenCase,
      ...GoldenCase[],
    ];
    const judged = (...cardIds: string[]) => cardIds.map((cardId) => ({ cardId, grade: 1, reason: null }));
    const given: readonly GoldenCase[] = [
      { ...first, subject: { kind: 'card', cardId: 'gone' } },
      { ...second, judgements: judged('gone') },
      { ...third, judgements: judged('gone', 'right') },
      { ...fourth, judgements: judged('gone', 'filtered') },
      ...others,
    ];
    const tuner = tunerWhere((place) => Number.isInteger(place));
    const tuned = await tuner.tune(viewer, given, BUILTIN_SETTINGS, () => undefined, signal);
    expect(tuned).toMatchObject({ trainingCases: 37, skippedCases: 3 });
    // Every case gains what the right card gains from the second place to the first.
    expect(tuned.crossValidated).toMatchObject({ higher: 37 });
    expect(tuned.crossValidated.low).toBe(tuned.crossValidated.high);
  });

  test('uses a random sample of a large set, the same each time, so that its scores fit into memory', async () => {
    const most = 60;
    const large = Array.from({ length: 3 * most }, (_, place) => caseOf(`${place}`));
    const tuneOnce = async () => {
      const asked: number[] = [];
      const tuner = tunerWhere((place) => {
        asked.push(place);
        return true;
      }, most);
      return { asked, tuned: await tuner.tune(viewer, large, BUILTIN_SETTINGS, () => undefined, signal) };
    };
    const { asked, tuned } = await tuneOnce();
    expect(tuned).toMatchObject({ trainingCases: most, skippedCases: 0 });
    expect(new Set(asked).size).toBe(most);
    // From all of the set, not from its beginning.
    expect(asked.filter((place) => place >= 2 * most).length).toBeGreaterThan(most / 4);
    expect((await tuneOnce()).asked).toEqual(asked);
  });

  test('refuses a set that is too small to tell settings apart', async () => {
    const few = tunerWhere(() => true).tune(viewer, cases.slice(0, 19), BUILTIN_SETTINGS, () => undefined, signal);
    await expect(few).rejects.toThrow(BadInputError);
  });

  test('claims a gain only if its interval excludes 0 and MRR does not decrease', () => {
    const difference = (values: readonly number[]) =>
      compare(
        values.map(() => 0),
        values,
        RESAMPLING,
      );
    const up = difference([0.1, 0.2, 0.1, 0.2, 0.15, 0.1]);
    const down = difference([-0.1, -0.2, -0.1, -0.2, -0.15, -0.1]);
    const unclear = difference([0.5, -0.4, 0.2, -0.1, 0, 0.1]);
    const gain = (ndcgAt10: typeof up, mrr: typeof up): boolean =>
      isGain({ differences: { ndcgAt10, mrr } as unknown as Parameters<typeof isGain>[0]['differences'] });
    expect(gain(up, up)).toBe(true);
    expect(gain(up, unclear)).toBe(true);
    expect(gain(up, down)).toBe(false);
    expect(gain(unclear, up)).toBe(false);
    expect(gain(down, up)).toBe(false);
  });
});
