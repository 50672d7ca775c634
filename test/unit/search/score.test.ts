import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../../../src/domain/perspective.js';
import type { ComparableVectors } from '../../../src/domain/ports/vectors.js';
import { LANES, type LaneKind } from '../../../src/domain/search.js';
import { atOnce } from '../../../src/domain/steps.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { laneIndex } from '../../../src/search/lanes.js';
import { type ScoreMatrix, scoreSteps } from '../../../src/search/score.js';
import { PackedVectors } from '../../../src/vectors/packed.js';
import { byPerspectiveArb, cardOf, unit, unitVectorArb } from '../../support/generators.js';
import { literalWords } from '../../support/memory-ports.js';

const DIMS = 4;
const vectorsArb = byPerspectiveArb(fc.array(unitVectorArb(DIMS), { maxLength: 3 }));

function naiveCosine(a: Float32Array, b: Float32Array): number {
  return [...a].reduce((sum, value, place) => sum + value * (b[place] ?? Number.NaN), 0);
}

/** The scores of one row in one kind of lane, by perspective; undefined for a lane that was not scored. */
function scoresOf({ lanes }: ScoreMatrix, row: number, kind: LaneKind): ByPerspective<number | undefined> {
  return byPerspective((perspective) => lanes[laneIndex({ kind, perspective })]?.[row]);
}

const none = byPerspective(() => []);
const noVectors = new Map<string, ComparableVectors>();
const everyLane = (): boolean => true;

/** Notebooks of two cards by their words alone. */
const index = new LexicalIndex(literalWords);
index.set(cardOf({ id: 'a', questionText: 'area of a circle', topicTags: ['circle'] }));
index.set(cardOf({ id: 'b', questionText: 'sign error' }));

describe('score', () => {
  test('of a dense lane is the best pair of a query vector and a passage, NaN if either side has no text', () => {
    fc.assert(
      fc.property(vectorsArb, vectorsArb, (queries, vectors) => {
        const passages = byPerspective((perspective) => vectors[perspective]);
        const packed = PackedVectors.of({ revision: 1, passages });
        const parts = { vectors: new Map([['a', packed]]), index: new LexicalIndex(literalWords) };
        const query = { card: cardOf({ id: 'own' }), combined: null, vectors: queries, terms: none, expanded: none };
        const table = atOnce(scoreSteps(['a'], parts, query, everyLane));
        for (const perspective of PERSPECTIVES) {
          const pairs = queries[perspective].flatMap((query) =>
            vectors[perspective].map((vector) => naiveCosine(query, vector)),
          );
          const given = scoresOf(table, 0, 'DENSE')[perspective];
          if (pairs.length === 0) expect(given).toBeNaN();
          else expect(given).toBeCloseTo(Math.min(1, Math.max(0, ...pairs)), 6);
          expect(scoresOf(table, 0, 'LEXICAL')[perspective]).toBeNaN();
        }
      }),
    );
  });

  test('of the dense lane of errors by a text is at least the mean of those of question and solution', () => {
    const passage = (...values: number[]) => [unit(values)];
    const densely = (card: ReturnType<typeof cardOf> | null, error: readonly Float32Array[]) => {
      const passages = { question: passage(3, 4), solution: passage(1, 0), concept: [], error };
      const vectors = new Map([['a', PackedVectors.of({ revision: 1, passages })]]);
      const query = { card, combined: null, vectors: byPerspective(() => [unit([1, 0])]), terms: none, expanded: none };
      return scoresOf(atOnce(scoreSteps(['a'], { vectors, index }, query, everyLane)), 0, 'DENSE').error;
    };
    expect(densely(null, passage(0, 1))).toBeCloseTo(0.8, 6);
    expect(densely(null, passage(1, 0))).toBeCloseTo(1, 6);
    // A card has a text of its own for its error, and one without an error text has none to be like.
    expect(densely(cardOf({ id: 'own' }), passage(0, 1))).toBeCloseTo(0, 6);
    expect(densely(null, [])).toBeNaN();
  });

  test('compares each text of a card once, also where attempts are compared', () => {
    const compared: Perspective[] = [];
    const similarity = (perspective: Perspective): number => compared.push(perspective) / 8;
    const vectors = new Map([['a', { revision: 1, passages: none, similarity }]]);
    const query = { card: null, combined: null, vectors: none, terms: none, expanded: none };
    const scoredIn = (isAsked: (lane: number) => boolean) =>
      scoresOf(atOnce(scoreSteps(['a'], { vectors, index }, query, isAsked)), 0, 'DENSE').error;
    expect(scoredIn(everyLane)).toBe(4 / 8);
    expect(compared).toEqual(PERSPECTIVES);
    const errors = laneIndex({ kind: 'DENSE', perspective: 'error' });
    expect(scoredIn((lane) => lane === errors)).toBe(6.5 / 8);
    expect(compared).toEqual([...PERSPECTIVES, 'error', 'question', 'solution']);
  });

  test("of a lexical lane is the index's score of that perspective, NaN if either side has no text", () => {
    const terms = { ...none, question: ['circle'], concept: ['circle'], solution: ['circle'] };
    const query = { card: null, combined: null, vectors: none, terms, expanded: none };
    const table = atOnce(scoreSteps(['a', 'b', 'unknown'], { vectors: noVectors, index }, query, everyLane));
    const [own] = index.texts.scores('question', ['circle'], index.cards.docsOf(['a']));
    expect(own).toBeGreaterThan(0);
    const no = Number.NaN;
    expect(scoresOf(table, 0, 'LEXICAL')).toEqual({ question: own, solution: no, concept: 1, error: no });
    expect(scoresOf(table, 1, 'LEXICAL')).toEqual({ question: 0, solution: no, concept: no, error: no });
    expect(scoresOf(table, 2, 'LEXICAL')).toEqual(byPerspective(() => no));
  });

  test('of one lexical lane is at least that of all texts as one, by topics also of a card without one', () => {
    const terms = byPerspective(() => ['circle', 'area']);
    const scored = (combined: Perspective | null) => {
      const query = { card: null, combined, vectors: none, terms, expanded: none };
      const table = atOnce(scoreSteps(['a', 'b'], { vectors: noVectors, index }, query, everyLane));
      return [0, 1].map((row) => scoresOf(table, row, 'LEXICAL'));
    };
    const [own] = scored(null);
    const [combined, other] = scored('concept');
    expect(combined?.concept).toBeGreaterThan(own?.concept as number);
    expect(other?.concept).toBe(0);
    expect(scored('error')[1]?.error).toBeNaN();
    expect({ ...combined, concept: own?.concept }).toEqual(own);
  });

  test('is the better of the query alone and the expanded query', () => {
    const words = fc.subarray(['area', 'circle', 'sign', 'error', 'unknown'], { minLength: 1 });
    fc.assert(
      fc.property(words, words, (own, more) => {
        const lexical = (terms: readonly string[], expanded: readonly string[]) => {
          const query = {
            card: null,
            combined: null,
            vectors: none,
            terms: { ...none, question: terms },
            expanded: { ...none, question: expanded },
          };
          const table = atOnce(scoreSteps(['a', 'b'], { vectors: noVectors, index }, query, everyLane));
          return [0, 1].map((row) => scoresOf(table, row, 'LEXICAL').question as number);
        };
        const [byOwn, byMore, byBoth] = [lexical(own, []), lexical(more, []), lexical(own, more)];
        expect(byBoth).toEqual(byOwn.map((score, row) => Math.max(score, byMore[row] as number)));
      }),
    );
  });

  test('is absent for lanes that are not requested, and for inferred ones', () => {
    const query = {
      card: null,
      combined: null,
      vectors: byPerspective(() => [unit([1, 0])]),
      terms: byPerspective(() => ['circle']),
      expanded: none,
    };
    fc.assert(
      fc.property(fc.subarray([...LANES.keys()]), (asked) => {
        const { lanes } = atOnce(
          scoreSteps(['a'], { vectors: noVectors, index }, query, (lane) => asked.includes(lane)),
        );
        const scored = lanes.flatMap((scores, lane) => (scores === null ? [] : [lane]));
        expect(scored).toEqual(asked.filter((lane) => LANES[lane]?.kind !== 'INFERRED'));
      }),
    );
  });

  test('lets other work run after fewer cards, the more passages the query has', () => {
    const ids = Array.from({ length: 200 }, (_, place) => `c${place}`);
    const stepsFor = (passages: number): number => {
      const vectors = byPerspective(() => Array.from({ length: passages }, () => unit([1, 0])));
      const query = { card: null, combined: null, vectors, terms: none, expanded: none };
      const isDense = (lane: number): boolean => LANES[lane]?.kind === 'DENSE';
      return [...scoreSteps(ids, { vectors: noVectors, index }, query, isDense)].length;
    };
    expect([stepsFor(1), stepsFor(16)]).toEqual([4, 50]);
  });

  test('has a row for every card in the given order, with or without vectors', () => {
    const vectors = new Map([['b', PackedVectors.of({ revision: 1, passages: none })]]);
    const query = {
      card: null,
      combined: null,
      vectors: byPerspective(() => [unit([1, 0])]),
      terms: none,
      expanded: none,
    };
    const { cardIds, lanes } = atOnce(scoreSteps(['a', 'b', 'c'], { vectors, index }, query, everyLane));
    expect(cardIds).toEqual(['a', 'b', 'c']);
    for (const scores of lanes) if (scores !== null) expect(scores).toHaveLength(3);
  });
});
