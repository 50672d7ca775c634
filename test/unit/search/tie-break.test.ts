import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { QualityGrade } from '../../../src/domain/card.js';
import { preferQuality } from '../../../src/search/tie-break.js';

/** Between GOOD and FAIR stands a card that nobody graded. */
const ORDER: readonly (QualityGrade | null)[] = ['EXCELLENT', 'GOOD', null, 'FAIR'];

const MOMENTS = ['2026-01-01', '2026-02-01', '2026-03-01'].map((day) => new Date(day));

function hit(score: number, qualityGrade: QualityGrade | null, occurredAt = MOMENTS[0] as Date) {
  return { score, card: { qualityGrade, occurredAt } };
}

type Hit = ReturnType<typeof hit>;

/** Hits as fusion orders them; scores of few steps, so that there are near-ties, and ties. */
const hitsArb: fc.Arbitrary<readonly Hit[]> = fc
  .array(
    fc
      .tuple(fc.integer({ min: 0, max: 40 }), fc.constantFrom(...ORDER), fc.constantFrom(...MOMENTS))
      .map(([steps, grade, moment]) => hit(steps * 0.007, grade, moment)),
    { maxLength: 20 },
  )
  .map((hits) => hits.sort((a, b) => b.score - a.score));

const topKArb = fc.integer({ min: 1, max: 12 });

const isFair = ({ card }: Hit): boolean => card.qualityGrade === 'FAIR';

/** The hits that stay, cut into runs in which none is 0.02 or more behind the first, each sorted by itself. */
function naive(hits: readonly Hit[], topK: number): readonly Hit[] {
  const others = hits.filter((one) => !isFair(one));
  const rest = [...(others.length < topK ? hits : others)];
  const answer: Hit[] = [];
  while (rest.length > 0) {
    const first = (rest[0] as Hit).score;
    const end = rest.findIndex(({ score }) => first - score >= 0.02);
    const run = rest.splice(0, end === -1 ? rest.length : end);
    for (const grade of ORDER) {
      const graded = run.filter(({ card }) => card.qualityGrade === grade);
      answer.push(...graded.sort((a, b) => b.card.occurredAt.getTime() - a.card.occurredAt.getTime()));
    }
  }
  return answer;
}

describe('preferQuality', () => {
  test('orders near-ties by grade, then the latest first, then as before', () => {
    fc.assert(
      fc.property(hitsArb, topKArb, (hits, topK) => {
        const given = preferQuality(hits, topK);
        const expected = naive(hits, topK);
        expect(given).toHaveLength(expected.length);
        given.forEach((one, place) => {
          expect(one).toBe(expected[place]);
        });
      }),
      { numRuns: 500 },
    );
  });

  test('never lifts a card over one that is 0.02 or more alike', () => {
    fc.assert(
      fc.property(hitsArb, topKArb, (hits, topK) => {
        const given = preferQuality(hits, topK);
        given.forEach((one, place) => {
          for (const later of given.slice(place + 1)) expect(later.score - one.score).toBeLessThan(0.02);
        });
      }),
    );
  });

  test('drops FAIR cards where topK others remain, and otherwise drops nothing', () => {
    fc.assert(
      fc.property(hitsArb, topKArb, (hits, topK) => {
        const given = new Set(preferQuality(hits, topK));
        const others = hits.filter((one) => !isFair(one));
        expect(given).toEqual(new Set(others.length >= topK ? others : hits));
      }),
    );
  });

  test('leaves the list that it is given as it was', () => {
    fc.assert(
      fc.property(hitsArb, topKArb, (hits, topK) => {
        const before = [...hits];
        preferQuality(hits, topK);
        expect(hits).toEqual(before);
      }),
    );
  });

  test('puts the better card first where scores are close, and the more alike one where they are not', () => {
    const [alike, close, far] = [hit(0.8, null), hit(0.79, 'GOOD'), hit(0.7, 'EXCELLENT')];
    expect(preferQuality([alike, close, far], 3)).toEqual([close, alike, far]);
  });

  test('does not chain near-ties: a run ends 0.02 below its first card', () => {
    const [first, second, third] = [hit(0.8, 'FAIR'), hit(0.785, 'GOOD'), hit(0.77, 'EXCELLENT')];
    expect(preferQuality([first, second, third], 3)).toEqual([second, first, third]);
  });

  test('puts a card that nobody graded between GOOD and FAIR', () => {
    const [fair, ungraded, good] = [hit(0.5, 'FAIR'), hit(0.5, null), hit(0.5, 'GOOD')];
    expect(preferQuality([fair, ungraded, good], 3)).toEqual([good, ungraded, fair]);
  });
});
