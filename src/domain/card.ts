import type { ByPerspective } from './perspective.js';

/** Topic tags, or error types, of one card. */
export const MAX_LABELS = 50;

/** How good a card is as teaching material, best first. */
export const QUALITY_GRADES = ['EXCELLENT', 'GOOD', 'FAIR'] as const;
/** One of {@link QUALITY_GRADES}. */
export type QualityGrade = (typeof QUALITY_GRADES)[number];

/** Entries of the metadata of one card. */
export const MAX_METADATA = 32;

/** What an app stores with a card: not searched, and of no meaning to the gateway. */
export interface MetadataEntry {
  readonly key: string;
  readonly value: string;
}

/** Card fields that clients write. An absent text is null, never ''. */
export interface CardContent {
  /** `math`, `physics`, ... */
  readonly subject: string;
  /** `G1` .. `G12`, or what the school uses. */
  readonly grade: string | null;
  /** 1 (easiest) .. 5. */
  readonly difficulty: number;
  readonly questionText: string;
  readonly studentSolutionText: string | null;
  readonly goldSolutionBrief: string | null;
  /** In the client's order, each once. */
  readonly topicTags: readonly string[];
  readonly errorTypes: readonly string[];
  readonly qualityGrade: QualityGrade | null;
  readonly source: string | null;
  readonly notes: string | null;
  /** When the mistake was made. */
  readonly occurredAt: Date;
  /** By key, each key once. */
  readonly metadata: readonly MetadataEntry[];
}

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
type Searchable = Pick<
  CardContent,
  'questionText' | 'studentSolutionText' | 'goldSolutionBrief' | 'topicTags' | 'errorTypes'
>;

/**
 * The texts of a card by perspective; an empty list means that the card has no text there, and gets no vector.
 *
 * solution: the student's and the reference solution, each a text of its own where both exist. concept: the topic tags.
 * error: the error types with the student's solution as context; a wrong solution alone names no error, so it makes none.
 */
export function perspectiveTexts(card: Searchable): ByPerspective<readonly string[]> {
  const { questionText, studentSolutionText, goldSolutionBrief, topicTags, errorTypes } = card;
  const solutions = [studentSolutionText, goldSolutionBrief].filter((text) => text !== null);
  return {
    question: [questionText],
    solution: solutions,
    concept: topicTags.length === 0 ? [] : [topicTags.join('\n')],
    error: errorTypes.length === 0 ? [] : [[...errorTypes, studentSolutionText ?? []].flat().join('\n')],
  };
}
