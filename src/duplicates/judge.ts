import type { QuestionJudge } from '../ports/notebooks.js';
import { canonicalQuestion } from './canonical.js';
import { DOUBLE, nearness } from './nearness.js';
import { questionPrints } from './prints.js';

/** Tells whether two questions are one, typed twice: LaTeX notation and the order of options make no difference. */
export const questionJudge: QuestionJudge = {
  canonical: canonicalQuestion,
  prints: questionPrints,
  nearness,
  double: DOUBLE,
};
