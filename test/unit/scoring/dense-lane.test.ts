import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byPerspective } from '../../../src/domain/perspective.js';
import type { DenseLane } from '../../../src/domain/ports/scoring.js';
import { DenseScoring } from '../../../src/scoring/dense-lane.js';
import { SparseColumns } from '../../../src/vectors/columns.js';
import { PackedVectors } from '../../../src/vectors/packed.js';
import { byPerspectiveArb, unitVectorArb } from '../../support/generators.js';

const DIMENSIONS = 4;

const vectorArb = unitVectorArb(DIMENSIONS);
const cardsArb = fc.array(byPerspectiveArb(fc.array(vectorArb, { maxLength: 2 })), { minLength: 1, maxLength: 6 });
const queriesArb = byPerspectiveArb(fc.array(vectorArb, { minLength: 1, maxLength: 2 }));

describe('dense lanes of one pass', () => {
  test('that compare the same passages add what each adds alone, whatever their order', () => {
    fc.assert(
      fc.property(cardsArb, queriesArb, fc.boolean(), (cards, queries, isErrorFirst) => {
        const columns = new SparseColumns();
        const packed = cards.map((vectors) =>
          PackedVectors.of({
            revision: 1,
            passages: byPerspective((perspective) => vectors[perspective]),
          }),
        );
        packed.forEach((one, card) => {
          columns.set(String(card), one);
        });
        const passages = byPerspective((perspective) => columns.passages(perspective, queries[perspective]));
        const ofQuestions: DenseLane = { kind: 'DENSE', weight: 0.5, passages: passages.question, orMeanOf: null };
        const ofErrors: DenseLane = {
          kind: 'DENSE',
          weight: 0.25,
          passages: passages.error,
          orMeanOf: [passages.question, passages.solution],
        };
        const scoring = new DenseScoring();
        const sums = new Float64Array(cards.length);
        for (const lane of isErrorFirst ? [ofErrors, ofQuestions] : [ofQuestions, ofErrors]) scoring.add(lane, sums);
        packed.forEach((card, place) => {
          const question = card.similarity('question', queries.question);
          const solution = card.similarity('solution', queries.solution);
          const error = card.similarity('error', queries.error);
          const mean = question === null || solution === null ? 0 : (question + solution) / 2;
          const expected = 0.5 * (question ?? 0) + 0.25 * (error === null ? 0 : Math.max(error, mean));
          expect(sums[place]).toBeCloseTo(expected, 3);
        });
      }),
    );
  });

  test('give a card with an error whose question and solution equal the query their whole weight', () => {
    // Rounded to 16 bits, the sum of two products of these vectors exceeds 32 bits.
    const vector = new Float32Array(100).fill(0.1);
    const columns = new SparseColumns();
    columns.set('one', PackedVectors.of({ revision: 1, passages: byPerspective(() => [vector]) }));
    const orthogonal = vector.map((value, place) => (place % 2 === 0 ? value : -value));
    const passages = byPerspective((perspective) =>
      columns.passages(perspective, [perspective === 'error' ? orthogonal : vector]),
    );
    const { question, solution, error } = passages;
    const sums = new Float64Array(1);
    new DenseScoring().add({ kind: 'DENSE', weight: 0.5, passages: error, orMeanOf: [question, solution] }, sums);
    expect(sums[0]).toBeCloseTo(0.5, 12);
  });
});
