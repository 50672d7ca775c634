import type { Card, QualityGrade } from './card.js';
import { type ByPerspective, PERSPECTIVES, type Perspective } from './perspective.js';

/** Which cards may be answered. Absent keys do not restrict; every list means "any of" and is never empty. */
export interface CardFilter {
  readonly grade?: readonly string[];
  readonly subject?: readonly string[];
  readonly difficultyMin?: number;
  readonly difficultyMax?: number;
  readonly topicTags?: readonly string[];
  readonly errorTypes?: readonly string[];
  readonly qualityGrade?: readonly QualityGrade[];
  /** Inclusive. */
  readonly occurredAfter?: Date;
  /** Exclusive. */
  readonly occurredBefore?: Date;
  readonly excludeCardIds?: readonly string[];
}

/** What to look for: words, or whatever is like a card that exists. */
export type SearchSubject =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'card'; readonly cardId: string };

/** A search as parsed and complete: no default is left to decide. */
export interface SearchRequest {
  readonly subject: SearchSubject;
  /** 0 or more for each perspective, at least one above 0; only their ratios matter. */
  readonly weights: ByPerspective<number>;
  /** How much the words count beside the vectors: 0 vectors alone .. 1 words alone. At 0 no label is inferred either. */
  readonly lexicalShare: number;
  /** 1 .. 50 */
  readonly topK: number;
  readonly filter: CardFilter;
  /** Hits with a lower fused score are left out; null: none is. */
  readonly minScore: number | null;
}

/** How a filter is kept: no filter, every matching card scored, or more candidates fetched than needed and the rest dropped. */
export type FilterPlan = 'none' | 'exact' | 'overfetch';

/**
 * How a lane compares: by the vectors of the texts, by their words and formulas, or by the labels (topic tags, error types)
 * that the query is inferred to be about.
 */
export type LaneKind = 'DENSE' | 'LEXICAL' | 'INFERRED';

/** The perspectives whose texts are labels: topic tags and error types. */
export const LABEL_PERSPECTIVES = ['concept', 'error'] as const;
/** One of {@link LABEL_PERSPECTIVES}. */
export type LabelPerspective = (typeof LABEL_PERSPECTIVES)[number];

/** One way to compare a query with a card. */
export type Lane =
  | { readonly kind: 'DENSE' | 'LEXICAL'; readonly perspective: Perspective }
  | { readonly kind: 'INFERRED'; readonly perspective: LabelPerspective };

/** Every lane that there is, in the order in which they are shown. */
export const LANES: readonly Lane[] = [
  ...PERSPECTIVES.map((perspective) => ({ kind: 'DENSE' as const, perspective })),
  ...PERSPECTIVES.map((perspective) => ({ kind: 'LEXICAL' as const, perspective })),
  ...LABEL_PERSPECTIVES.map((perspective) => ({ kind: 'INFERRED' as const, perspective })),
];

/** The lane as one word, as receipts name it: `dense question`. */
export function laneName({
  kind,
  perspective,
}: {
  readonly kind: LaneKind;
  readonly perspective: Perspective;
}): string {
  return `${kind.toLowerCase()} ${perspective}`;
}

/** One card's exact score in one lane, and what it gave to the whole. */
export interface LaneScore {
  readonly perspective: Perspective;
  readonly kind: LaneKind;
  /**
   * 0 .. 1. Dense: the cosine similarity of the best passage. Lexical: BM25 as a share of what a card that repeats the query
   * gets. Inferred: how far the query is believed to be about the most likely of the card's labels.
   */
  readonly score: number;
  /** The lane's share in the plan, 0 .. 1; 0 where the lane was not asked for. */
  readonly weight: number;
  /** What the lane added to the hit's score: the contributions of a hit sum to its score. */
  readonly contribution: number;
  /** The card's place among the candidates by this lane alone, 1 is best; null where the lane was not asked for. */
  readonly rank: number | null;
}

/** One card that was found, and why. */
export interface SearchHit {
  readonly card: Card;
  /** 1 is best. */
  readonly rank: number;
  /** 0 .. 1 */
  readonly score: number;
  readonly lanes: readonly LaneScore[];
}

/** A part that did not do what it should, and what that means for the answer. */
export interface Degradation {
  readonly part: string;
  readonly reason: string;
}

/** How long one stage of a search took, in milliseconds. */
export interface StageTiming {
  readonly stage: string;
  readonly tookMs: number;
}

/** What a search actually did. */
export interface SearchReceipt {
  readonly requestedTopK: number;
  readonly filterPlan: FilterPlan;
  /** How many cards the filter lets through; null without a filter. */
  readonly matchedByFilter: number | null;
  /** How many cards were scored. */
  readonly candidates: number;
  /** The labels that the query was found to be about, the most likely first; none for a card that has labels itself. */
  readonly inferredConcepts: readonly string[];
  readonly embeddingModel: string;
  readonly degraded: readonly Degradation[];
  readonly tookMs: number;
  readonly stages: readonly StageTiming[];
}

/** The answer to a search. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly receipt: SearchReceipt;
}

/** A topic tag or an error type that a text may deserve. */
export interface TagSuggestion {
  readonly tag: string;
  readonly perspective: LabelPerspective;
  /** 0 .. 1: how much of what the text says is what the cards with this label say. */
  readonly score: number;
  /** How many of the tenant's cards carry it. */
  readonly cards: number;
}
