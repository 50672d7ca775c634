import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ByPerspective, byPerspective, PERSPECTIVES } from '../../src/domain/perspective.js';
import { LANES, type Lane } from '../../src/domain/search.js';
import { NotebookIndex } from '../../src/lexical/notebook-index.js';
import type { ComparableVectors } from '../../src/ports.js';
import { type ScoredCard, score } from '../../src/search/score.js';
import { PackedVectors } from '../../src/vectors/packed.js';
import { byPerspectiveArb, cardOf, unitVectorArb } from '../support/generators.js';
import { literalWords } from '../support/memory-ports.js';

const DIMS = 4;
const vectorsArb = byPerspectiveArb(fc.array(unitVectorArb(DIMS), { maxLength: 3 }));

function naiveCosine(a: Float32Array, b: Float32Array): number {
  return [...a].reduce((sum, value, place) => sum + value * (b[place] ?? Number.NaN), 0);
}

/** The scores in one kind of lane, by perspective. */
function scoresOf(scored: ScoredCard | undefined, kind: Lane['kind']): ByPerspective<number | null | undefined> {
  return byPerspective((perspective) => {
    const lane = LANES.findIndex((one) => one.kind === kind && one.perspective === perspective);
    return scored?.scores[lane];
  });
}

const noFeatures = byPerspective(() => []);

describe('score', () => {
  test('is, in a dense lane, the best pair of a query vector and a passage, null where either side has no text', () => {
    fc.assert(
      fc.property(vectorsArb, vectorsArb, (queries, vectors) => {
        const passages = byPerspective((perspective) => vectors[perspective].map((vector) => ({ vector })));
        const parts = {
          vectors: new Map([['a', PackedVectors.of({ revision: 1, passages })]]),
          index: new NotebookIndex(literalWords),
        };
        const [scored] = score(['a'], parts, { vectors: queries, features: noFeatures });
        for (const perspective of PERSPECTIVES) {
          const pairs = queries[perspective].flatMap((query) =>
            vectors[perspective].map((vector) => naiveCosine(query, vector)),
          );
          const given = scoresOf(scored, 'DENSE')[perspective];
          if (pairs.length === 0) expect(given).toBeNull();
          else expect(given).toBeCloseTo(Math.min(1, Math.max(0, ...pairs)), 6);
          expect(scoresOf(scored, 'LEXICAL')[perspective]).toBeNull();
        }
      }),
    );
  });

  test('is, in a lexical lane, what the index of that perspective says, null where either side has no text', () => {
    const index = new NotebookIndex(literalWords);
    index.set(cardOf({ id: 'a', questionText: 'area of a circle', topicTags: ['circle'] }));
    index.set(cardOf({ id: 'b', questionText: 'sign error' }));
    const features = { ...noFeatures, question: ['circle'], concept: ['circle'], solution: ['circle'] };
    const parts = { vectors: new Map<string, ComparableVectors>(), index };
    const [a, b, unknown] = score(['a', 'b', 'unknown'], parts, { vectors: byPerspective(() => []), features });
    const [ownQuestion] = index.scores('question', ['circle'], ['a']);
    expect(ownQuestion).toBeGreaterThan(0);
    expect(scoresOf(a, 'LEXICAL')).toEqual({ question: ownQuestion, solution: null, concept: 1, error: null });
    expect(scoresOf(b, 'LEXICAL')).toEqual({ question: 0, solution: null, concept: null, error: null });
    expect(scoresOf(unknown, 'LEXICAL')).toEqual(byPerspective(() => null));
  });

  test('scores every card that it is given, with or without vectors', () => {
    const vectors = new Map([['b', PackedVectors.of({ revision: 1, passages: byPerspective(() => []) })]]);
    const parts = { vectors, index: new NotebookIndex(literalWords) };
    const scored = score(['a', 'b', 'c'], parts, { vectors: byPerspective(() => []), features: noFeatures });
    expect(scored.map(({ cardId }) => cardId)).toEqual(['a', 'b', 'c']);
  });
});
