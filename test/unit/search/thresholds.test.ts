import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSearch } from '../../../src/domain/parse/search.js';
import { BUILTIN_SETTINGS } from '../../../src/search/profile.js';
import { bandsOf, passesNoAnswerGate } from '../../../src/search/thresholds.js';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const evidenceArb = fc.record({
  byTexts: share,
  byLabel: share,
  byWords: share,
  words: fc.integer({ min: 0, max: 20_000 }),
  cards: fc.integer({ min: 0, max: 1_000_000 }),
});

describe('the bands', () => {
  test.each(['builtin', 'BAAI/bge-m3'])('of %s descend within 0 .. 1', (model) => {
    const { steps } = bandsOf(model);
    expect([...steps].sort((a, b) => b - a)).toEqual(steps);
    expect(new Set(steps).size).toBe(3);
    for (const step of steps) expect(step > 0 && step < 1).toBe(true);
  });

  test.each(['builtin', 'BAAI/bge-m3'])(
    'of %s, and of its layers, are steps that a client could ask for too',
    (model) => {
      const { steps, layers } = bandsOf(model);
      for (const thresholdSteps of [steps, ...Object.values(layers)]) {
        const args = { text: 'x', topK: 5, options: { thresholdSteps } };
        expect(parseSearch('hybridSearch', args, BUILTIN_SETTINGS).thresholdSteps).toEqual(thresholdSteps);
        expect(thresholdSteps.at(-1)).toBeGreaterThan(0);
      }
    },
  );

  test('of a model whose cosines begin high ask for higher ones, by as much as leaves what is above its floor', () => {
    const plain = bandsOf('BAAI/bge-m3');
    const high = bandsOf('Xenova/multilingual-e5-small', 0.7);
    expect(plain.layers.SEMANTIC).toEqual([0.7, 0.6, 0.5]);
    expect(high.layers.SEMANTIC).toEqual([0.85, 0.8, 0.75]);
    expect({ ...high, floor: 0, layers: null }).toEqual({ ...plain, floor: 0, layers: null });
    expect(high.floor).toBe(0.7);
  });

  test('of the built-in embedder are not those of a semantic model', () => {
    expect(bandsOf('builtin').steps[2]).toBeLessThan(bandsOf('BAAI/bge-m3').steps[2]);
  });
});

describe('the evidence for an answer', () => {
  const bands = bandsOf('builtin');

  test('asks more of a short text than of a long one, since chance gives it more', () => {
    expect(passesNoAnswerGate({ byTexts: 0.2, byLabel: 0, byWords: 0, words: 4, cards: 2_000 }, bands)).toBe(false);
    expect(passesNoAnswerGate({ byTexts: 0.2, byLabel: 0, byWords: 0, words: 40, cards: 2_000 }, bands)).toBe(true);
  });

  test('asks less where there are few cards to be alike by chance', () => {
    const evidence = { byTexts: 0.3, byLabel: 0, byWords: 0, words: 6 };
    expect(passesNoAnswerGate({ ...evidence, cards: 2_000 }, bands)).toBe(false);
    expect(passesNoAnswerGate({ ...evidence, cards: 4 }, bands)).toBe(true);
  });

  test('may come from a label alone, as where a text names a topic', () => {
    expect(passesNoAnswerGate({ byTexts: 0, byLabel: 0.5, byWords: 0, words: 2, cards: 2_000 }, bands)).toBe(true);
    expect(passesNoAnswerGate({ byTexts: 0, byLabel: 0.1, byWords: 0, words: 2, cards: 2_000 }, bands)).toBe(false);
  });

  test('may come from a few words that one text says, however long that is', () => {
    expect(passesNoAnswerGate({ byTexts: 0.2, byLabel: 0, byWords: 0.6, words: 2, cards: 2_000 }, bands)).toBe(true);
    expect(passesNoAnswerGate({ byTexts: 0.2, byLabel: 0, byWords: 0.2, words: 2, cards: 2_000 }, bands)).toBe(false);
  });

  test('adds up: a little of each is enough where none is by itself', () => {
    const little = { byTexts: 0.2, byLabel: 0.2, byWords: 0.3, words: 6, cards: 2_000 };
    expect(passesNoAnswerGate(little, bands)).toBe(true);
    for (const sign of ['byTexts', 'byLabel', 'byWords'] as const) {
      expect(passesNoAnswerGate({ ...little, [sign]: 0 }, bands)).toBe(false);
    }
  });

  test('grows with each of its parts and with the length of the text, and is never lost by more', () => {
    fc.assert(
      fc.property(evidenceArb, evidenceArb, (a, b) => {
        const more = {
          byTexts: Math.max(a.byTexts, b.byTexts),
          byLabel: Math.max(a.byLabel, b.byLabel),
          byWords: Math.max(a.byWords, b.byWords),
          words: Math.max(a.words, b.words),
          cards: Math.min(a.cards, b.cards),
        };
        expect(passesNoAnswerGate(more, bands)).toBe(passesNoAnswerGate(more, bands) || passesNoAnswerGate(a, bands));
      }),
    );
  });

  test('is never missed where the model says nothing of it', () => {
    fc.assert(
      fc.property(evidenceArb, (evidence) => {
        expect(passesNoAnswerGate(evidence, bandsOf('BAAI/bge-m3'))).toBe(true);
      }),
    );
  });

  test('is there for a text without a word whose one sign is met, and not for one that meets nothing', () => {
    expect(passesNoAnswerGate({ byTexts: 1, byLabel: 0, byWords: 0, words: 0, cards: 2_000 }, bands)).toBe(true);
    expect(passesNoAnswerGate({ byTexts: 0, byLabel: 0, byWords: 0, words: 0, cards: 2_000 }, bands)).toBe(false);
  });
});
