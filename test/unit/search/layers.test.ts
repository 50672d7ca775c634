import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isEnough, LAYER_LANES, layersOf } from '../../../src/search/layers.js';
import { requestOf, weightsArb } from '../../support/generators.js';

describe('the layers of a search', () => {
  test('are three for prose, and four for labels, which are compared as labels too', () => {
    const prose = ['SEMANTIC', 'KEYWORD', 'EXPANDED'];
    const labels = ['SEMANTIC', 'STRUCTURE', 'KEYWORD', 'EXPANDED'];
    for (const operation of ['similarQuestions', 'bySolution', 'hybridSearch'] as const) {
      expect(layersOf({ operation, expand: true })).toEqual(prose);
    }
    for (const operation of ['byConcept', 'byError'] as const) {
      expect(layersOf({ operation, expand: true })).toEqual(labels);
    }
  });

  test('are all but the expanded one where the query may not be expanded', () => {
    expect(layersOf({ operation: 'byError', expand: false })).toEqual(['SEMANTIC', 'STRUCTURE', 'KEYWORD']);
    expect(layersOf({ operation: 'bySolution', expand: false })).toEqual(['SEMANTIC', 'KEYWORD']);
  });

  test('compare by the vectors alone, by the words alone, and by the words and the inferred labels', () => {
    fc.assert(
      fc.property(weightsArb, fc.constantFrom(0, 0.3, 1), fc.boolean(), (weights, lexicalShare, expand) => {
        const request = requestOf({ weights, lexicalShare, expand });
        const kinds = (layer: keyof typeof LAYER_LANES): unknown => [
          ...new Set(LAYER_LANES[layer](request).map(({ kind }) => kind)),
        ];
        expect(kinds('SEMANTIC')).toEqual(['DENSE']);
        expect(kinds('KEYWORD')).toEqual(['LEXICAL']);
        expect(kinds('EXPANDED')).toEqual(['LEXICAL', 'INFERRED']);
      }),
    );
  });

  test('are left at 80, 70 and 60 percent of the wanted number, after the first, second and third of them', () => {
    for (let wanted = 1; wanted <= 50; wanted += 1) {
      for (let admitted = 0; admitted <= wanted; admitted += 1) {
        [8, 7, 6].forEach((tenths, place) => {
          expect(isEnough(place + 1, admitted, wanted)).toBe(10 * admitted >= tenths * wanted);
        });
        expect(isEnough(4, admitted, wanted)).toBe(false);
      }
    }
  });
});
