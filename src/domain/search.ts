import type { Card, QualityGrade } from './card.js';
import type { ByPerspective, Perspective } from './perspective.js';

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
  /** 1 .. 50 */
  readonly topK: number;
  readonly filter: CardFilter;
  /** Hits with a lower fused score are left out; null: none is. */
  readonly minScore: number | null;
}

/** How a filter is kept: no filter, every matching card scored, or more candidates fetched than needed and the rest dropped. */
export type FilterPlan = 'none' | 'exact' | 'overfetch';

/** One card's exact score in one lane, and what it gave to the whole. */
export interface LaneScore {
  readonly perspective: Perspective;
  readonly kind: 'DENSE';
  /** Cosine similarity, 0 .. 1, of the best passage. */
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
