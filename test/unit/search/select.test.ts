import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type QualityGrade } from '../../../src/domain/card.js';
import { byPerspective, PERSPECTIVES } from '../../../src/domain/perspective.js';
import { type CardVectors, type ComparableVectors } from '../../../src/domain/ports/vectors.js';
import { atOnce } from '../../../src/domain/steps.js';
import { type DiversityCandidate, diversifySteps, preferQuality, similarityIn } from '../../../src/search/select.js';
import { PackedVectors } from '../../../src/vectors/packed.js';
import { byPerspectiveArb, scoreArb, unit, unitVectorArb, weightsArb } from '../../support/generators.js';
import { runs } from '../../support/runs.js';

const DIMS = 3;

/** A card by the vectors of its question alone. */
function asking(...vectors: readonly (readonly number[])[]): ComparableVectors {
  return cardVectors({ question: vectors.map((values) => unit(values)) });
}

function cardVectors(
  given: Partial<Record<(typeof PERSPECTIVES)[number], readonly Float32Array[]>>,
): ComparableVectors {
  const passages = byPerspective((perspective) => given[perspective] ?? []);
  return PackedVectors.of({ revision: 1, passages });
}

const vectorsArb = byPerspectiveArb(fc.array(unitVectorArb(DIMS), { maxLength: 2 })).map(cardVectors);

/** Best first, as a search passes them on; few different scores, so that there are ties. */
const candidatesArb: fc.Arbitrary<readonly DiversityCandidate[]> = fc
  .array(fc.record({ score: scoreArb, vectors: fc.option(vectorsArb) }), { maxLength: 24 })
  .map((candidates) => candidates.sort((a, b) => b.score - a.score));

/** With both ends, and shares that have no exact form. */
const diversityArb = fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true }));

const topKArb = fc.integer({ min: 1, max: 9 });

const diversify = (...given: Parameters<typeof diversifySteps>): readonly number[] => atOnce(diversifySteps(...given));

/** Maximal marginal relevance as its paper has it: every step looks at everything anew. */
function naive(
  candidates: readonly DiversityCandidate[],
  diversity: number,
  topK: number,
  similarity: (a: CardVectors, b: ComparableVectors) => number,
): readonly number[] {
  const pool = candidates.slice(0, 3 * topK);
  const selected: number[] = [];
  while (selected.length < Math.min(topK, pool.length)) {
    const values = pool.map(({ score, vectors }, place) => {
      if (selected.includes(place)) return Number.NEGATIVE_INFINITY;
      const alike = selected.map((one) => {
        const other = pool[one]?.vectors ?? null;
        return vectors === null || other === null ? 0 : similarity(other, vectors);
      });
      return (1 - diversity) * score - diversity * Math.max(0, ...alike);
    });
    selected.push(values.indexOf(Math.max(...values)));
  }
  return selected;
}

describe('diversify', () => {
  test('equals a naive maximal marginal relevance, ties in order', () => {
    fc.assert(
      fc.property(candidatesArb, diversityArb, topKArb, weightsArb, (candidates, diversity, topK, weights) => {
        const similarity = similarityIn(weights);
        expect(diversify(candidates, { diversity, topK }, similarity)).toEqual(
          naive(candidates, diversity, topK, similarity),
        );
      }),
      { numRuns: runs(500) },
    );
  });

  test('at 0 keeps the given order, even if it is not sorted by score', () => {
    const candidates = [0.5, 0.9, 0.7].map((score) => ({ score, vectors: asking([1, 0, 0]) }));
    expect(diversify(candidates, { diversity: 0, topK: 2 }, similarityIn({ ...none, question: 1 }))).toEqual([0, 1]);
  });

  test('at 1 selects the best, then the least similar to all selected, whatever its score', () => {
    const candidates = [
      { score: 0.9, vectors: asking([1, 0, 0]) },
      { score: 0.8, vectors: asking([1, 1, 0]) },
      { score: 0.2, vectors: asking([0, 0, 1]) },
      { score: 0.1, vectors: asking([0, 1, 0]) },
    ];
    expect(diversify(candidates, { diversity: 1, topK: 3 }, similarityIn({ ...none, question: 1 }))).toEqual([0, 2, 3]);
  });

  test('prefers a different card from beyond the first topK to a near copy of a hit', () => {
    const candidates = [
      { score: 0.9, vectors: asking([1, 0, 0]) },
      { score: 0.89, vectors: asking([1, 0.01, 0]) },
      { score: 0.6, vectors: asking([0, 1, 0]) },
    ];
    const similarity = similarityIn({ ...none, question: 1 });
    expect(diversify(candidates, { diversity: 0.5, topK: 2 }, similarity)).toEqual([0, 2]);
    expect(diversify(candidates, { diversity: 0.1, topK: 2 }, similarity)).toEqual([0, 1]);
  });

  test('considers at most three times as many candidates as requested', () => {
    const like = { score: 0.5, vectors: asking([1, 0, 0]) };
    const unlike = { score: 0.5, vectors: asking([0, 1, 0]) };
    const similarity = similarityIn({ ...none, question: 1 });
    const ofTwo = { diversity: 1, topK: 2 };
    expect(diversify([like, like, like, like, like, unlike], ofTwo, similarity)).toEqual([0, 5]);
    expect(diversify([like, like, like, like, like, like, unlike], ofTwo, similarity)).toEqual([0, 1]);
  });

  test('lets other work run after each comparison of two cards: long texts have many passages', () => {
    const passages = Array.from({ length: 30 }, (_, place) => [1, place, 0]);
    const candidates = Array.from({ length: 10 }, () => ({ score: 0.5, vectors: asking(...passages) }));
    let compared = 0;
    const similarity = () => {
      compared += 1;
      return 0;
    };
    const steps = diversifySteps(candidates, { diversity: 0.5, topK: 10 }, similarity);
    for (let most = 0; !steps.next().done; most++) expect(compared).toBeLessThanOrEqual(most);
    expect(compared).toBe(45);
  });

  test('treats a card without available vectors as novel', () => {
    const candidates = [
      { score: 0.9, vectors: asking([1, 0, 0]) },
      { score: 0.8, vectors: asking([1, 0, 0]) },
      { score: 0.8, vectors: null },
    ];
    const similarity = similarityIn({ ...none, question: 1 });
    expect(diversify(candidates, { diversity: 0.3, topK: 2 }, similarity)).toEqual([0, 2]);
  });
});

const none = { question: 0, solution: 0, concept: 0, error: 0 };

describe('the similarity of two cards', () => {
  test('is the weighted mean of the best pairs of passages, over requested perspectives that both cards have', () => {
    fc.assert(
      fc.property(vectorsArb, vectorsArb, weightsArb, (a, b, weights) => {
        const parts = PERSPECTIVES.flatMap((perspective) => {
          const cosines = a.passages[perspective].flatMap((vector) =>
            b.passages[perspective].map((other) => dot(vector, other)),
          );
          const weight = weights[perspective];
          return weight === 0 || cosines.length === 0 ? [] : [{ weight, best: Math.max(0, ...cosines) }];
        });
        const total = parts.reduce((sum, { weight }) => sum + weight, 0);
        const mean = parts.reduce((sum, { weight, best }) => sum + weight * best, 0) / total;
        const given = similarityIn(weights)(a, b);
        expect(given).toBeCloseTo(total === 0 ? 0 : Math.min(1, mean), 6);
        expect(given).toBe(similarityIn(weights)(b, a));
        expect(given).toBeGreaterThanOrEqual(0);
        expect(given).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('compares a long card by its most similar passage', () => {
    const long = asking([1, 0, 0], [0, 1, 0]);
    expect(similarityIn({ ...none, question: 1 })(long, asking([0, 1, 0]))).toBeCloseTo(1, 6);
  });

  test('ignores perspectives that one of them lacks', () => {
    const both = cardVectors({ question: [unit([1, 0, 0])], concept: [unit([0, 1, 0])] });
    const similarity = similarityIn({ ...none, question: 1, concept: 3 });
    expect(similarity(both, asking([1, 0, 0]))).toBeCloseTo(1, 6);
    expect(similarity(both, cardVectors({ question: [unit([1, 0, 0])], concept: [unit([1, 0, 0])] }))).toBeCloseTo(
      0.25,
      6,
    );
  });

  test('is 0 if no perspective can be compared', () => {
    expect(similarityIn({ ...none, error: 1 })(asking([1, 0, 0]), asking([1, 0, 0]))).toBe(0);
  });
});

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, place) => sum + value * (b[place] ?? Number.NaN), 0);
}

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

const isFair = ({ card }: Hit): boolean => card.qualityGrade === 'FAIR';

/** The hits that stay, cut into runs in which none is 0.02 or more behind the first, each sorted by itself. */
function naiveOrder(hits: readonly Hit[], topK: number): readonly Hit[] {
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
        const expected = naiveOrder(hits, topK);
        expect(given).toHaveLength(expected.length);
        given.forEach((one, place) => {
          expect(one).toBe(expected[place]);
        });
      }),
      { numRuns: runs(500) },
    );
  });

  test('does not modify its input', () => {
    fc.assert(
      fc.property(hitsArb, topKArb, (hits, topK) => {
        const before = [...hits];
        preferQuality(hits, topK);
        expect(hits).toEqual(before);
      }),
    );
  });

  test('puts the better quality first if scores are close, and otherwise the higher score', () => {
    const [alike, close, far] = [hit(0.8, null), hit(0.79, 'GOOD'), hit(0.7, 'EXCELLENT')];
    expect(preferQuality([alike, close, far], 3)).toEqual([close, alike, far]);
  });

  test('does not chain near-ties: a run ends 0.02 below its first card', () => {
    const [first, second, third] = [hit(0.8, 'FAIR'), hit(0.785, 'GOOD'), hit(0.77, 'EXCELLENT')];
    expect(preferQuality([first, second, third], 3)).toEqual([second, first, third]);
  });

  test('puts an ungraded card between GOOD and FAIR', () => {
    const [fair, ungraded, good] = [hit(0.5, 'FAIR'), hit(0.5, null), hit(0.5, 'GOOD')];
    expect(preferQuality([fair, ungraded, good], 3)).toEqual([good, ungraded, fair]);
  });
});
