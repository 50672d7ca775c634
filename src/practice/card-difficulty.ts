import type { OwnedAttempt } from '../domain/ports/practice.js';
import type { Gaussian } from './mastery/gaussian.js';
import { Rating } from './mastery/rating.js';

/**
 * Neighbours of an estimate. With more, estimates were worse for English questions and no better for Chinese ones
 * (`npm run bench -- difficulty`).
 */
export const NEIGHBOURS = 10;

/** A card that a search for another one found. */
export interface Neighbour {
  readonly id: string;
  /** Of the search, above 0. */
  readonly score: number;
  /** As a person graded it, 1 .. 5. */
  readonly difficulty: number;
}

/** How hard a card is by the cards most like it, whatever its own grade says. */
export interface CardDifficulty {
  /** 1 .. 5, as grades are. */
  readonly estimate: number;
  readonly spread: number;
  /** The most similar one first. */
  readonly neighbourIds: readonly string[];
  /** Attempts at the neighbours, and the right ones among them. */
  readonly attempts: number;
  readonly right: number;
}

/**
 * The mean of the nearest neighbours, those nearer by half the score of the best counting a quarter. The difficulty of
 * each is its grade, moved by the attempts at it as far as the ability of who made them does not explain them. Null
 * without neighbours. Pure.
 */
export function difficultyBy(found: readonly Neighbour[], log: readonly OwnedAttempt[]): CardDifficulty | null {
  const neighbours = found.slice(0, NEIGHBOURS);
  const [nearest] = neighbours;
  if (nearest === undefined) return null;
  const rating = new Rating();
  for (const { id, difficulty } of neighbours) rating.expectItem(id, gaussianOf(difficulty));
  const ids = new Set(neighbours.map(({ id }) => id));
  const heard = log.filter(({ cardId }) => ids.has(cardId));
  for (const { ownerId, cardId, at, correct } of heard) {
    rating.update({ student: ownerId, item: cardId, skills: [], atMs: at.getTime(), correct });
  }
  const weighted = neighbours.map(({ id, score, difficulty }) => {
    const grade = gradeAt(rating.item(id) ?? gaussianOf(difficulty));
    return { grade, weight: (score / nearest.score) ** 2 };
  });
  const sum = weighted.reduce((all, { weight }) => all + weight, 0);
  const estimate = weighted.reduce((all, { grade, weight }) => all + weight * grade, 0) / sum;
  const variance = weighted.reduce((all, { grade, weight }) => all + weight * (grade - estimate) ** 2, 0) / sum;
  return {
    estimate,
    spread: Math.sqrt(variance),
    neighbourIds: neighbours.map(({ id }) => id),
    attempts: heard.length,
    right: heard.filter(({ correct }) => correct).length,
  };
}

/**
 * Logits between two grades of difficulty, and the variance within a grade: a card of grade 4 is harder than one of
 * grade 3 with a probability of .66.
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
