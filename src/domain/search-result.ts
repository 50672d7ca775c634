import type { Card } from './card.js';
import type { Perspective } from './perspective.js';
import type { Fusion, LabelPerspective, LaneKind, RecallLayer, RecallStrategy } from './search.js';

/**
 * How a filter is applied: no filter, every matching card scored, or more candidates fetched than needed and filtered.
 */
export type FilterPlan = 'none' | 'exact' | 'overfetch';

/**
 * Retrievers: the nearest neighbours of the vectors, in Chroma or, of small tenants, in PostgreSQL; BM25; the cards of
 * the most likely labels; or the exact scan of all cards (or all matching cards) in memory.
 */
export const RETRIEVERS = ['chroma', 'postgres', 'lexical', 'label', 'exact'] as const;
export type RetrieverName = (typeof RETRIEVERS)[number];

/** One card's exact score in one lane, and its contribution to the fused score. */
export interface LaneScore {
  readonly perspective: Perspective;
  readonly kind: LaneKind;
  /**
   * 0 .. 1. Dense: the cosine similarity of the best passage. Lexical: BM25 as a share of the score of a card that
   * repeats the query. Inferred: by the posteriors, given the query, of the card's labels.
   */
  readonly score: number;
  /** Weight of the lane: 0 .. 1, 0 if unused, negative for the negative query. */
  readonly weight: number;
  /** Added to the hit's fused score by this lane: the contributions of a hit sum to the score. */
  readonly contribution: number;
  /** Rank among the candidates by this lane alone, 1 is best; null if the lane is unused. */
  readonly rank: number | null;
}

/**
 * Why a hit is worth practising, strongest first: the same question; the same question with other numbers or in another
 * story; another question with the same error; another question about the same knowledge point; none of these.
 */
export const VERDICTS = ['DUPLICATE', 'SAME_QUESTION_NEW_SKIN', 'SAME_TRAP', 'SAME_IDEA', 'RELATED'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface SearchHit {
  readonly card: Card;
  /** 1 is best. */
  readonly rank: number;
  /** 0 .. 1: the fused score, or the reranked one if the receipt names a cross-encoder. */
  readonly score: number;
  readonly verdict: Verdict;
  readonly lanes: readonly LaneScore[];
  /** The cross-encoder's raw logit; null if not reranked. */
  readonly rerankLogit: number | null;
  /** The layer that found it; null if the search was not layered. */
  readonly layer: RecallLayer | null;
  /** The threshold step that it passed; null if none applied. */
  readonly threshold: number | null;
}

export interface LayerTrial {
  readonly layer: RecallLayer;
  /** Number of cards that it added to those of earlier layers. */
  readonly admitted: number;
  /** The lowest threshold step that it reached; null if none applied or the layer failed. */
  readonly threshold: number | null;
  readonly tookMs: number;
}

/** A failed part, and the effect on the result. */
export interface Degradation {
  readonly part: string;
  readonly reason: string;
}

/** The stages of a search, in the order in which they run; `layers` in place of `retrieve` and `filter`. */
export const SEARCH_STAGES = [
  'rewrite',
  'embed',
  'plan',
  'retrieve',
  'layers',
  'filter',
  'score',
  'label',
  'fuse',
  'cut',
  'hydrate',
  'rerank',
  'select',
  'explain',
] as const;
export type SearchStage = (typeof SEARCH_STAGES)[number];

export interface StageTiming {
  readonly stage: SearchStage;
  readonly tookMs: number;
}

/** A label that a text is found to be about. */
export interface InferredLabel {
  readonly perspective: LabelPerspective;
  readonly label: string;
  readonly posterior: number;
}

export interface SearchReceipt {
  readonly requestedTopK: number;
  /** See {@link SearchRequest.profile}. */
  readonly profile: string | null;
  readonly strategy: RecallStrategy;
  readonly fusion: Fusion;
  readonly retrievers: readonly RetrieverName[];
  readonly filterPlan: FilterPlan;
  /** Number of matching cards; null without a filter. */
  readonly matchedByFilter: number | null;
  /** Number of scored cards. */
  readonly candidates: number;
  /** Threshold steps tried, descending; empty if minScore was given. */
  readonly thresholdsTried: readonly number[];
  /** Whether hits are before others with better scores, so that the first three cover likely labels. */
  readonly coversLabels: boolean;
  /**
   * Result of the no-answer gate: true if the text has no more in common with any candidate than texts have by chance.
   * Then there is no hit. False with threshold steps or a minimum score, which bypass the gate.
   */
  readonly nothingClose: boolean;
  /** Layers tried, in order; empty if the search was not layered. */
  readonly layers: readonly LayerTrial[];
  /** The query with corrected spelling and added synonyms; null if unchanged. */
  readonly expandedQuery: string | null;
  /** Labels inferred for the query, most likely first; empty for a query card with labels. */
  readonly inferredConcepts: readonly string[];
  /** Rewrites of the query that were searched for beside it. */
  readonly rewrites: readonly string[];
  /** The same with their posteriors, 0 .. 1, at most 5 a perspective. */
  readonly inferredLabels: readonly InferredLabel[];
  readonly embeddingModel: string;
  /** Null if not reranked. */
  readonly rerankModel: string | null;
  readonly degraded: readonly Degradation[];
  readonly tookMs: number;
  readonly stages: readonly StageTiming[];
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** Whether the same search would have more hits with a greater `topK`, as far as the index knows. */
  readonly hasMore: boolean;
  readonly receipt: SearchReceipt;
}
