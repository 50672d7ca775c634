import { z } from 'zod';
import { parse } from './parse.js';
import { between } from './scalars.js';

const share = between(0, 1).optional();

const mains = z.strictObject({ ndcgAt10: share, mrr: share });

const thresholds = z.strictObject({
  search: mains.extend({
    recallAt5: share,
    recallAt10: share,
    recallAtK: share,
    precisionAt10: share,
    zeroResultRate: share,
    duplicateRate: share,
  }),
  operations: z.strictObject({
    similarQuestions: mains.optional(),
    bySolution: mains.optional(),
    byConcept: mains.optional(),
    byError: mains.optional(),
    hybridSearch: mains.optional(),
  }),
});

/**
 * Minimum metrics on a golden set, from a file: `search` over all cases, `operations` for each operation.
 * BadInputError.
 */
export function parseRegressionThresholds(value: unknown, fieldPrefix: string) {
  return parse(thresholds, value, fieldPrefix);
}
