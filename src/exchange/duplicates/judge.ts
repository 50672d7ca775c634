import type { CanonicalQuestion } from '../../domain/duplicates.js';
import type { QuestionJudge } from '../../domain/ports/imports.js';
import { canonicalQuestion } from './canonical.js';
import { questionFingerprints } from './fingerprint.js';

/**
 * Minimum nearness of duplicates. Firm tokens must be equal anyway; this is the tolerance for the others. `npm run
 * bench -- duplicates` shows other values: with lower ones, fewer and fewer of the real questions that are merged have
 * the same solution.
 */
const DUPLICATE_THRESHOLD = 0.85;

/** Ignores LaTeX notation and the order of options. */
export const questionJudge: QuestionJudge = {
  canonical: canonicalQuestion,
  fingerprints: questionFingerprints,
  nearness,
  duplicateThreshold: DUPLICATE_THRESHOLD,
};

/**
 * Similarity of two questions, 0 .. 1: 0 if their firm tokens differ, otherwise the multiset Jaccard similarity of
 * their loose tokens.
 */
function nearness(a: CanonicalQuestion, b: CanonicalQuestion): number {
  if (a.firm.length !== b.firm.length || a.firm.some((part, place) => part !== b.firm[place])) return 0;
  const counts = new Map<string, number>();
  for (const part of a.loose) counts.set(part, (counts.get(part) ?? 0) + 1);
  let shared = 0;
  for (const part of b.loose) {
    const left = counts.get(part) ?? 0;
    if (left === 0) continue;
    counts.set(part, left - 1);
    shared += 1;
  }
  const all = a.loose.length + b.loose.length - shared;
  return all === 0 ? 1 : shared / all;
}
