import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  commonPart,
  type LabelEvidence,
  labelPosteriors,
  labelScore,
  NEAREST_CARDS,
} from '../../../src/lexical/label-posterior.js';

const one = (): number => 1;

function likely(scores: Readonly<Record<string, number>>, named = 0): LabelEvidence['likely'] {
  return Object.entries(scores).map(([label, score]) => ({ label, score, named, cards: 1 }));
}

/** The model written out: evidence of each label, then its share of all that speaks for anything. */
function naive({ likely: profiles, nearest, cardsOf }: LabelEvidence): Record<string, number> {
  const of = (label: string) => nearest.filter(({ labels }) => labels.includes(label)).map(({ score }) => score);
  const labels = [...new Set([...profiles.map(({ label }) => label), ...nearest.flatMap((card) => card.labels)])];
  const views = labels.map((label) => {
    const profile = profiles.find((known) => known.label === label);
    const votes = nearest.slice(0, 30).filter((card) => card.labels.includes(label));
    return {
      label,
      profile: profile?.score ?? 0,
      named: profile?.named ?? 0,
      best: Math.max(0, ...of(label)),
      votes: votes.reduce((sum, { score }) => sum + score ** 8, 0),
    };
  });
  const greatest = (view: 'profile' | 'best' | 'votes') => Math.max(...views.map((label) => label[view])) || 1;
  const known = views.filter(({ profile, best }) => profile > 0 || best > 0);
  const evidence = known.map((label): readonly [string, number] => [
    label.label,
    Math.exp(
      (4 * label.profile) / greatest('profile') +
        (1.6 * label.best) / greatest('best') +
        (1.2 * label.votes) / greatest('votes') +
        1.5 * label.named +
        0.3 * Math.log(1 + cardsOf(label.label)),
    ),
  ]);
  const total = evidence.reduce((sum, [, value]) => sum + value, Math.exp(5));
  return Object.fromEntries(evidence.map(([label, value]) => [label, value / total]));
}

describe('the posterior of labels', () => {
  test('is a log-linear model of profile, best card, votes, name and number of cards', () => {
    const label = fc.constantFrom('a', 'b', 'c', 'd');
    const share = fc.double({ min: 0.001, max: 1, noNaN: true });
    const card = fc.record({ labels: fc.uniqueArray(label), score: share });
    fc.assert(
      fc.property(
        fc.dictionary(label, share),
        share,
        fc.array(card, { maxLength: NEAREST_CARDS, size: 'max' }),
        fc.integer({ min: 1, max: 900 }),
        (scores, named, nearest, cards) => {
          const ranked = [...nearest].sort((x, y) => y.score - x.score);
          const evidence = {
            likely: likely(scores, named),
            nearest: ranked,
            cardsOf: (name: string) => cards + name.length,
          };
          const posteriors = Object.fromEntries(labelPosteriors(evidence));
          const expected = naive(evidence);
          expect(Object.keys(posteriors).sort()).toEqual(Object.keys(expected).sort());
          for (const [name, value] of Object.entries(expected)) expect(posteriors[name]).toBeCloseTo(value, 12);
          expect(Object.values(posteriors).reduce((sum, value) => sum + value, 0)).toBeLessThan(1);
        },
      ),
    );
  });

  test('is uncertain of a label that only near cards support', () => {
    const posteriors = labelPosteriors({ likely: [], nearest: [{ labels: ['bats'], score: 0.9 }], cardsOf: one });
    expect(posteriors.get('bats')).toBeLessThan(0.15);
  });

  test('is nearly certain of a label that profile, name and near cards support', () => {
    const nearest = [{ labels: ['area'], score: 0.9 }];
    const posteriors = labelPosteriors({ likely: likely({ area: 0.5 }, 1), nearest, cardsOf: () => 20 });
    expect(posteriors.get('area')).toBeGreaterThan(0.9);
  });

  test('lets a label that many near cards carry overtake the best profile', () => {
    const nearest = Array.from({ length: 5 }, () => ({ labels: ['b'], score: 0.5 }));
    const posteriors = labelPosteriors({ likely: likely({ a: 0.5, b: 0.45 }), nearest, cardsOf: one });
    expect(posteriors.get('b')).toBeGreaterThan(posteriors.get('a') as number);
  });

  test('uses the nearest cards only, and none with a score of 0', () => {
    const nearest = Array.from({ length: NEAREST_CARDS }, () => ({ labels: ['a'], score: 0.5 }));
    const all = [...nearest, { labels: ['b'], score: 0.5 }];
    expect([...labelPosteriors({ likely: [], nearest: all, cardsOf: one }).keys()]).toEqual(['a']);
    expect(labelPosteriors({ likely: [], nearest: [{ labels: ['a'], score: 0 }], cardsOf: one }).size).toBe(0);
  });

  test('scores a card by the fourth root of the sum over its labels, at most 1', () => {
    const sums = [0, 0.0016, 0.0625, 1, 1.5];
    expect(sums.map((sum) => labelScore(sum, 0))).toEqual([0, expect.closeTo(0.2, 12), 0.5, 1, 1]);
  });

  test('scores a card by what its labels add to those that all cards carry', () => {
    const posteriors = new Map([
      ['revision', 0.5],
      ['area', 0.25],
    ]);
    const common = commonPart(posteriors, { cards: 10, cardsOf: (label) => (label === 'revision' ? 10 : 1) });
    expect(common).toBeCloseTo(0.5 + 0.0025, 12);
    expect([0, 0.5].map((sum) => labelScore(sum, common))).toEqual([0, expect.closeTo(0.05 ** 0.25, 12)]);
    expect(labelScore(0.75, common)).toBeCloseTo((0.2475 / 0.4975) ** 0.25, 12);
  });

  test('scores cards by what they have in common, if that is all that is known of the query', () => {
    const common = commonPart(new Map([['revision', 0.6]]), { cards: 3, cardsOf: () => 3 });
    expect(common).toBe(0);
    expect(labelScore(0.6, common)).toBeCloseTo(0.6 ** 0.25, 12);
  });
});
