import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BadInputError } from '../../../src/domain/errors.js';
import { parseRegressionThresholds } from '../../../src/domain/parse/golden.js';
import { belowThresholds, raisedThresholds } from '../../../src/evaluation/reports/regression-thresholds.js';
import { reportOf } from './reports.js';

const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('thresholds', () => {
  test('pass metrics that reach them, and name those that do not', () => {
    const report = reportOf({ ndcgAt10: 0.5, mrr: 0.6, zeroResultRate: 0.1 });
    const reached = { search: { ndcgAt10: 0.5, zeroResultRate: 0.1 }, operations: { byError: { mrr: 0.6 } } };
    expect(belowThresholds(report, reached)).toEqual([]);
    const higher = { search: { ndcgAt10: 0.51, zeroResultRate: 0.09 }, operations: { byError: { mrr: 0.7 } } };
    expect(belowThresholds(report, higher)).toEqual([
      'all cases: nDCG@10 is 0.500, below the threshold of 0.510',
      'all cases: zero results is 0.100, above the threshold of 0.090',
      'byError: MRR is 0.600, below the threshold of 0.700',
    ]);
  });

  test('fail for searches that were not measured', () => {
    const thresholds = { search: {}, operations: { byConcept: { mrr: 0 } } };
    expect(belowThresholds(reportOf({}), thresholds)).toEqual(['byConcept: no case was measured']);
  });

  test('are raised by better metrics, never lowered, and passed by the metrics that raised them', () => {
    fc.assert(
      fc.property(share, share, share, share, (ndcgAt10, zeroResultRate, ndcgThreshold, zeroThreshold) => {
        const report = reportOf({ ndcgAt10, zeroResultRate });
        const thresholds = { search: { ndcgAt10: ndcgThreshold, zeroResultRate: zeroThreshold }, operations: {} };
        const { search } = raisedThresholds(report, thresholds);
        expect(search.ndcgAt10).toBeGreaterThanOrEqual(ndcgThreshold);
        expect(search.zeroResultRate).toBeLessThanOrEqual(zeroThreshold);
        if (belowThresholds(report, thresholds).length === 0)
          expect(belowThresholds(report, { search, operations: {} })).toEqual([]);
      }),
    );
  });

  test('come from a file without unknown keys', () => {
    expect(parseRegressionThresholds({ search: { mrr: 0.5 }, operations: {} }, 'f')).toEqual({
      search: { mrr: 0.5 },
      operations: {},
    });
    for (const wrong of [{ search: { mrr: 2 }, operations: {} }, { search: { f1: 1 }, operations: {} }, { search: {} }])
      expect(() => parseRegressionThresholds(wrong, 'f')).toThrow(BadInputError);
  });
});
