import type { Gaussian } from './mastery/gaussian-estimates.js';

/**
 * Logits between two grades of difficulty, and how certain these are: half of the cards of grade 4 are harder than
 * those of grade 3.
 */
const PER_GRADE = 0.45;
const GRADE_VARIANCE = 0.6;
const MEDIUM = 3;

/** What a grade of difficulty, 1 .. 5, says of how easy a card is. */
export function gaussianOf(difficulty: number): Gaussian {
  return { mean: PER_GRADE * (MEDIUM - difficulty), variance: GRADE_VARIANCE };
}

/** The grade of a card that is so easy, within 1 .. 5. */
export function gradeAt({ mean }: Pick<Gaussian, 'mean'>): number {
  return Math.min(5, Math.max(1, MEDIUM - mean / PER_GRADE));
}
