import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KNN_VOTES, labelPosteriors, labelScore } from '../../../src/lexical/label-posterior.js';

const inferred = (scores: Readonly<Record<string, number>>) =>
  Object.entries(scores).map(([label, score]) => ({ label, score, cards: 1 }));

describe('the inferred lane', () => {
  test('believes the best label fully and one that does half as well a sixteenth as much', () => {
    const posteriors = labelPosteriors(inferred({ 面积: 0.4, 周长: 0.2 }), []);
    expect([...posteriors]).toEqual([
      ['面积', 1],
      ['周长', 1 / 16],
    ]);
  });

  test('believes votes alone where no profile answers, by the cube of how near the card is', () => {
    const posteriors = labelPosteriors(
      [],
      [
        { labels: ['a'], score: 0.8 },
        { labels: ['b'], score: 0.4 },
        { labels: [], score: 0.3 },
      ],
    );
    expect([...posteriors]).toEqual([
      ['a', 1],
      ['b', expect.closeTo(1 / 8, 12)],
    ]);
  });

  test('weighs profiles and votes six to four', () => {
    const posteriors = labelPosteriors(inferred({ a: 0.5 }), [{ labels: ['b'], score: 0.5 }]);
    expect([...posteriors]).toEqual([
      ['a', 1],
      ['b', expect.closeTo(0.4 / 0.6, 12)],
    ]);
  });

  test('lets a label that many near cards carry overtake the best profile', () => {
    const near = Array.from({ length: 5 }, () => ({ labels: ['b'], score: 0.5 }));
    const posteriors = labelPosteriors(inferred({ a: 0.5, b: 0.45 }), near);
    expect(posteriors.get('b')).toBe(1);
    expect(posteriors.get('a')).toBeLessThan(1);
  });

  test('counts the nearest cards only', () => {
    const near = Array.from({ length: KNN_VOTES }, () => ({ labels: ['a'], score: 0.5 }));
    expect(labelPosteriors([], [...near, { labels: ['b'], score: 0.5 }]).has('b')).toBe(false);
  });

  test('believes nothing where nothing is known', () => {
    expect(labelPosteriors([], [{ labels: ['a'], score: 0 }]).size).toBe(0);
    expect(labelScore(['a'], labelPosteriors([], []))).toBe(0);
  });

  test('gives labelPosteriors above 0 and up to 1, with 1 for the most likely', () => {
    const label = fc.constantFrom('a', 'b', 'c', 'd');
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.dictionary(label, share),
        fc.array(fc.record({ labels: fc.uniqueArray(label), score: share }), { maxLength: 15 }),
        (scores, near) => {
          const values = [...labelPosteriors(inferred(scores), near).values()];
          for (const value of values) expect(value > 0 && value <= 1).toBe(true);
          expect(Math.max(...values, 0)).toBe(values.length === 0 ? 0 : 1);
        },
      ),
    );
  });

  test('scores a card by the most posteriors of its labels, and one without labels 0', () => {
    const posteriors = new Map([
      ['a', 1],
      ['b', 0.25],
    ]);
    expect(labelScore(['b', 'unknown'], posteriors)).toBe(0.25);
    expect(labelScore(['b', 'a'], posteriors)).toBe(1);
    expect(labelScore([], posteriors)).toBe(0);
  });
});
