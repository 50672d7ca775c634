import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSearch } from '../../../src/domain/parse/search.js';
import { LANES } from '../../../src/domain/search.js';
import { applyLaneQuota, passesNoAnswerGate, stepDown, stepOf, thresholdsOf } from '../../../src/search/cut.js';
import { BUILTIN_SETTINGS } from '../../../src/search/profile.js';
import { scoreArb } from '../../support/generators.js';
import { contrastArb, laneWeights, tableArb, tableOf } from '../../support/score-tables.js';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const signalsArb = fc.record({
  byTexts: share,
  byLabel: share,
  byTerms: share,
  terms: fc.integer({ min: 0, max: 20_000 }),
  cards: fc.integer({ min: 0, max: 1_000_000 }),
});

describe('the thresholds', () => {
  test.each(['builtin', 'BAAI/bge-m3'])('of %s descend within 0 .. 1', (model) => {
    const { steps } = thresholdsOf(model);
    expect([...steps].sort((a, b) => b - a)).toEqual(steps);
    expect(new Set(steps).size).toBe(3);
    for (const step of steps) expect(step > 0 && step < 1).toBe(true);
  });

  test.each(['builtin', 'BAAI/bge-m3'])(
    'of %s, and of its layers, are steps that a client could ask for too',
    (model) => {
      const { steps, layers } = thresholdsOf(model);
      for (const thresholdSteps of [steps, ...Object.values(layers)]) {
        const args = { text: 'x', topK: 5, options: { thresholdSteps } };
        expect(parseSearch('hybridSearch', args, BUILTIN_SETTINGS).thresholdSteps).toEqual(thresholdSteps);
        expect(thresholdSteps.at(-1)).toBeGreaterThan(0);
      }
    },
  );

  test('of a model whose cosines begin high ask for higher ones, by as much as leaves what is above its floor', () => {
    const plain = thresholdsOf('BAAI/bge-m3');
    const high = thresholdsOf('Xenova/multilingual-e5-small', 0.7);
    expect(plain.layers.SEMANTIC).toEqual([0.7, 0.6, 0.5]);
    expect(high.layers.SEMANTIC).toEqual([0.85, 0.8, 0.75]);
    expect({ ...high, floor: 0, layers: null }).toEqual({ ...plain, floor: 0, layers: null });
    expect(high.floor).toBe(0.7);
  });

  test('of the built-in embedder are not those of a semantic model', () => {
    expect(thresholdsOf('builtin').steps[2]).toBeLessThan(thresholdsOf('BAAI/bge-m3').steps[2]);
  });
});

describe('the signals for an answer', () => {
  const thresholds = thresholdsOf('builtin');

  test('asks more of a short text than of a long one, since chance gives it more', () => {
    expect(passesNoAnswerGate({ byTexts: 0.2, byLabel: 0, byTerms: 0, terms: 4, cards: 2_000 }, thresholds)).toBe(
      false,
    );
    expect(passesNoAnswerGate({ byTexts: 0.2, byLabel: 0, byTerms: 0, terms: 40, cards: 2_000 }, thresholds)).toBe(
      true,
    );
  });

  test('asks less where there are few cards to be alike by chance', () => {
    const signals = { byTexts: 0.3, byLabel: 0, byTerms: 0, terms: 6 };
    expect(passesNoAnswerGate({ ...signals, cards: 2_000 }, thresholds)).toBe(false);
    expect(passesNoAnswerGate({ ...signals, cards: 4 }, thresholds)).toBe(true);
  });

  test('may come from a label alone, as where a text names a topic', () => {
    expect(passesNoAnswerGate({ byTexts: 0, byLabel: 0.5, byTerms: 0, terms: 2, cards: 2_000 }, thresholds)).toBe(true);
    expect(passesNoAnswerGate({ byTexts: 0, byLabel: 0.1, byTerms: 0, terms: 2, cards: 2_000 }, thresholds)).toBe(
      false,
    );
  });

  test('may come from a few words that one text says, however long that is', () => {
    expect(passesNoAnswerGate({ byTexts: 0.2, byLabel: 0, byTerms: 0.6, terms: 2, cards: 2_000 }, thresholds)).toBe(
      true,
    );
    expect(passesNoAnswerGate({ byTexts: 0.2, byLabel: 0, byTerms: 0.2, terms: 2, cards: 2_000 }, thresholds)).toBe(
      false,
    );
  });

  test('adds up: a little of each is enough where none is by itself', () => {
    const little = { byTexts: 0.2, byLabel: 0.2, byTerms: 0.3, terms: 6, cards: 2_000 };
    expect(passesNoAnswerGate(little, thresholds)).toBe(true);
    for (const sign of ['byTexts', 'byLabel', 'byTerms'] as const) {
      expect(passesNoAnswerGate({ ...little, [sign]: 0 }, thresholds)).toBe(false);
    }
  });

  test('grows with each of its parts and with the length of the text, and is never lost by more', () => {
    fc.assert(
      fc.property(signalsArb, signalsArb, (a, b) => {
        const more = {
          byTexts: Math.max(a.byTexts, b.byTexts),
          byLabel: Math.max(a.byLabel, b.byLabel),
          byTerms: Math.max(a.byTerms, b.byTerms),
          terms: Math.max(a.terms, b.terms),
          cards: Math.min(a.cards, b.cards),
        };
        expect(passesNoAnswerGate(more, thresholds)).toBe(
          passesNoAnswerGate(more, thresholds) || passesNoAnswerGate(a, thresholds),
        );
      }),
    );
  });

  test('is never missed where the model says nothing of it', () => {
    fc.assert(
      fc.property(signalsArb, (signals) => {
        expect(passesNoAnswerGate(signals, thresholdsOf('BAAI/bge-m3'))).toBe(true);
      }),
    );
  });

  test('is there for a text without a word whose one sign is met, and not for one that meets nothing', () => {
    expect(passesNoAnswerGate({ byTexts: 1, byLabel: 0, byTerms: 0, terms: 0, cards: 2_000 }, thresholds)).toBe(true);
    expect(passesNoAnswerGate({ byTexts: 0, byLabel: 0, byTerms: 0, terms: 0, cards: 2_000 }, thresholds)).toBe(false);
  });
});

const stepsArb = fc
  .uniqueArray(fc.constantFrom(0, 0.25, 0.5, 0.6, 0.7, 1), { minLength: 1, maxLength: 4 })
  .map((steps) => steps.sort((a, b) => b - a));

/** Similarities by row, and some of the rows in an order of their own. */
const worldArb = fc.array(scoreArb, { maxLength: 15 }).chain((similarities) =>
  fc.record({
    similarities: fc.constant(Float64Array.from(similarities)),
    rows: fc.shuffledSubarray([...similarities.keys()]),
    steps: stepsArb,
    minResults: fc.integer({ min: 0, max: 16 }),
  }),
);

describe('stepDown', () => {
  test('stops at the first step that enough rows reach, and admits the rows that reach it, in their order', () => {
    fc.assert(
      fc.property(worldArb, ({ similarities, rows, steps, minResults }) => {
        const reaching = (step: number): number[] => rows.filter((row) => (similarities[row] as number) >= step);
        const last = steps.find((step) => reaching(step).length >= minResults) ?? (steps.at(-1) as number);
        expect(stepDown(rows, similarities, { steps, minResults })).toEqual({
          rows: reaching(last),
          tried: steps.filter((step) => step >= last),
        });
      }),
    );
  });

  test('has no answer where nothing reaches the last step, and fills no list with what is too far', () => {
    const similarities = Float64Array.from([0.49, 0.1, 0]);
    expect(stepDown([0, 1, 2], similarities, { steps: [0.7, 0.6, 0.5], minResults: 5 })).toEqual({
      rows: [],
      tried: [0.7, 0.6, 0.5],
    });
  });

  test('tries one step where no number of rows is asked for', () => {
    const similarities = Float64Array.from([0.65]);
    expect(stepDown([0], similarities, { steps: [0.7, 0.6], minResults: 0 })).toEqual({ rows: [], tried: [0.7] });
  });

  test('admits every row where there is no step', () => {
    fc.assert(
      fc.property(worldArb, ({ similarities, rows, minResults }) => {
        expect(stepDown(rows, similarities, { steps: [], minResults })).toEqual({ rows, tried: [] });
      }),
    );
  });
});

describe('the step that admits a similarity', () => {
  test('is the highest that it reaches, and none where it reaches none', () => {
    fc.assert(
      fc.property(scoreArb, stepsArb, (similarity, steps) => {
        const reached = steps.filter((step) => similarity >= step);
        expect(stepOf(similarity, steps)).toBe(reached.length === 0 ? null : Math.max(...reached));
      }),
    );
  });
});

/** A table and some of its rows in an order of their own. */
const rowsArb = tableArb.chain((table) =>
  fc.record({ table: fc.constant(table), rows: fc.shuffledSubarray([...table.cardIds.keys()]) }),
);

describe('applyLaneQuota', () => {
  test('keeps the rows, in their order, that fewer than perLane others beat in some lane that speaks for them', () => {
    fc.assert(
      fc.property(rowsArb, contrastArb, fc.integer({ min: 1, max: 8 }), ({ table, rows }, weights, perLane) => {
        const scoreOf = (lane: number, row: number): number => table.lanes[lane]?.[row] || 0;
        const expected = rows.filter((row) =>
          LANES.some((_, lane) => {
            const own = scoreOf(lane, row);
            const better = rows.filter((other) => scoreOf(lane, other) > own);
            return (weights[lane] as number) > 0 && own > 0 && better.length < perLane;
          }),
        );
        expect(applyLaneQuota(rows, table, weights, perLane)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  const table = tableOf({
    a: { 'DENSE question': 0.9, 'LEXICAL concept': 0.1 },
    b: { 'DENSE question': 0.8, 'LEXICAL concept': 0 },
    c: { 'DENSE question': 0.7, 'LEXICAL concept': 0.2 },
    d: { 'DENSE error': 1 },
  });
  const weights = laneWeights({ 'DENSE question': 0.8, 'LEXICAL concept': 0.2 });

  test('hears every lane that was asked for, however little it weighs, and no other', () => {
    expect(applyLaneQuota([0, 1, 2, 3], table, weights, 1)).toEqual([0, 2]);
  });

  test('gives no place in a lane to a card that scores nothing there', () => {
    expect(applyLaneQuota([1, 3], table, laneWeights({ 'LEXICAL concept': 1 }), 5)).toEqual([]);
  });

  test('lets equal scores share a place', () => {
    const twins = tableOf({ a: { 'DENSE question': 0.5 }, b: { 'DENSE question': 0.5 }, c: { 'DENSE question': 0.4 } });
    expect(applyLaneQuota([2, 1, 0], twins, laneWeights({ 'DENSE question': 1 }), 1)).toEqual([1, 0]);
  });
});
