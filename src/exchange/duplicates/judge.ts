import type { QuestionJudge } from '../../domain/ports/notebooks.js';
import { canonicalQuestion } from './canonical.js';
import { questionFingerprints } from './fingerprint.js';
import { DOUBLE, nearness } from './similarity.js';

/** Tells whether two questions are one, typed twice: LaTeX notation and the order of options make no difference. */
export const questionJudge: QuestionJudge = {
  canonical: canonicalQuestion,
  prints: questionFingerprints,
  nearness,
  double: DOUBLE,
};
