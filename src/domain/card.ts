import type { CardContent } from './card-content.js';
import { letteredLines } from './choices.js';
import type { ByPerspective } from './perspective.js';

export type { CardContent } from './card-content.js';
export { MAX_LABELS, MAX_METADATA, type MetadataEntry, QUALITY_GRADES, type QualityGrade } from './card-values.js';

/** A card to create; the id is present if the client chose one. */
export interface NewCard extends CardContent {
  readonly id: string | null;
}

/** A change to a card: absent keys are kept, null clears an optional field. */
export type CardChange = Partial<CardContent>;

/** A card as stored in PostgreSQL. */
export interface Card extends CardContent {
  /** Unique within the tenant. */
  readonly id: string;
  readonly tenantId: string;
  readonly ownerId: string;
  /** 1, 2, ...: grows by one with every change. */
  readonly revision: number;
  /** How often this mistake was made. */
  readonly occurrences: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Fields of which a card needs at least one text: see {@link perspectiveTexts}. */
export type SearchableContent = Pick<
  CardContent,
  'questionText' | 'choices' | 'studentSolutionText' | 'goldSolutionBrief' | 'topicTags' | 'errorTypes'
>;

/** The question with its choices below it, as it is searched, compared and printed: `A. 12`, a line each. */
export function questionOf({ questionText, choices }: Pick<CardContent, 'questionText' | 'choices'>): string {
  return choices.length === 0 ? questionText : `${questionText}\n${letteredLines(choices)}`;
}

/**
 * The texts of a card by perspective; an empty list means that the card has no text there, and gets no vector.
 *
 * question: {@link questionOf}. solution: the student's and the reference solution, each a text of its own where both
 * exist. concept: the topic tags. error: the error types with the student's solution as context; a wrong solution alone
 * names no error, so it makes none.
 */
export function perspectiveTexts(card: SearchableContent): ByPerspective<readonly string[]> {
  const { studentSolutionText, goldSolutionBrief, topicTags, errorTypes } = card;
  const solutions = [studentSolutionText, goldSolutionBrief].filter((text) => text !== null);
  return {
    question: [questionOf(card)],
    solution: solutions,
    concept: topicTags.length === 0 ? [] : [topicTags.join('\n')],
    error: errorTypes.length === 0 ? [] : [[...errorTypes, studentSolutionText ?? []].flat().join('\n')],
  };
}

/** Whether a tutor or a student can look the answer up. */
export function hasSolution({ goldSolutionBrief }: SolvableContent): boolean {
  return goldSolutionBrief !== null;
}
export type SolvableContent = Pick<CardContent, 'goldSolutionBrief'>;
