import type { QuestionJudge } from '../../domain/ports/imports.js';
import { canonicalQuestion } from './canonical.js';
import { questionFingerprints } from './fingerprint.js';
import { DUPLICATE_THRESHOLD, nearness } from './similarity.js';

/** Ignores LaTeX notation and the order of options. */
export const questionJudge: QuestionJudge = {
  canonical: canonicalQuestion,
  fingerprints: questionFingerprints,
  nearness,
  duplicateThreshold: DUPLICATE_THRESHOLD,
};
