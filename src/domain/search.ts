import type { Card, MetadataEntry, QualityGrade } from './card.js';
import type { Language } from './language.js';
import { type ByPerspective, PERSPECTIVES, type Perspective } from './perspective.js';

/** Restricts which cards may be returned. Absent keys do not restrict; lists mean "any of" unless their name says "all", and are never empty. */
export interface CardFilter {
  readonly grade?: readonly string[];
  readonly subject?: readonly string[];
  readonly difficultyMin?: number;
  readonly difficultyMax?: number;
  readonly topicTags?: readonly string[];
  readonly errorTypes?: readonly string[];
  readonly allTopicTags?: readonly string[];
  readonly allErrorTypes?: readonly string[];
  readonly qualityGrade?: readonly QualityGrade[];
  readonly owners?: readonly string[];
  readonly sources?: readonly string[];
  /** Of the question: see `questionLanguage`. */
  readonly languages?: readonly Language[];
  /** Whether there is a reference solution. */
  readonly hasSolution?: boolean;
  /** Whether there is neither a topic tag nor an error type. */
  readonly unlabelled?: boolean;
  /** Inclusive. */
  readonly occurredAfter?: Date;
  /** Exclusive. */
  readonly occurredBefore?: Date;
  /** All of them. */
  readonly metadata?: readonly MetadataEntry[];
  readonly excludeCardIds?: readonly string[];
}

/** Limit of `topK`. */
export const MAX_HITS = 200;

/** Limit of `minResults`; a profile that has it ends no list before `topK` hits. */
export const MAX_ENOUGH = 50;

/** Query: a text, or a stored card. */
export type SearchSubject =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'card'; readonly cardId: string };

export const SEARCH_OPERATIONS = ['similarQuestions', 'bySolution', 'byConcept', 'byError', 'hybridSearch'] as const;
/** One of {@link SEARCH_OPERATIONS}. */
export type SearchOperation = (typeof SEARCH_OPERATIONS)[number];

/**
 * Combination of the lanes' scores: weighted sum, reciprocal rank fusion, or relative score fusion (each score scaled between the
 * worst and the best of its lane).
 */
export const FUSION_NAMES = ['WEIGHTED', 'RRF', 'RELATIVE'] as const;
/** One of {@link FUSION_NAMES}. */
export type Fusion = (typeof FUSION_NAMES)[number];

/** Candidate generation: by all lanes at once, or layer by layer until there are enough. */
export const RECALL_STRATEGIES = ['FUSED', 'LAYERED'] as const;
/** One of {@link RECALL_STRATEGIES}. */
export type RecallStrategy = (typeof RECALL_STRATEGIES)[number];

/** How the chat model expands a query: 2 or 3 short rewrites, or a passage as a card would have it (HyDE). */
export const QUERY_EXPANSIONS = ['MULTI_QUERY', 'HYDE'] as const;
export type QueryExpansion = (typeof QUERY_EXPANSIONS)[number];

/** The layers of a layered search, in the order in which they are tried. */
export const RECALL_LAYERS = ['SEMANTIC', 'STRUCTURE', 'KEYWORD', 'EXPANDED'] as const;
/** One of {@link RECALL_LAYERS}. */
export type RecallLayer = (typeof RECALL_LAYERS)[number];

/** A parsed search with all defaults applied; null values depend on the results. */
export interface SearchRequest {
  readonly operation: SearchOperation;
  readonly subject: SearchSubject;
  /** 0 or more for each perspective, at least one above 0; only their ratios matter. */
  readonly weights: ByPerspective<number>;
  /** Weight of the lexical lanes against the dense ones: 0 dense only .. 1 lexical only. At 0 no label is inferred either. */
  readonly lexicalShare: number;
  /** Weight of the inferred lanes against all others: 0 none .. 0.95. */
  readonly inferredWeight: number;
  /** Weight of the label centroid in the label model, an exponent. */
  readonly profilePower: number;
  /** Weight of the kNN vote in the label model: 0 .. 1. */
  readonly voteShare: number;
  /** 1 .. 50 */
  readonly topK: number;
  readonly filter: CardFilter;
  readonly fusion: Fusion;
  readonly strategy: RecallStrategy;
  /** Minimum weighted score of hits; null: the threshold steps apply. */
  readonly minScore: number | null;
  /** Minimum weighted scores, descending: the first that enough cards reach applies; null: the model's defaults. */
  readonly thresholdSteps: readonly number[] | null;
  /** Number of hits at which a threshold step is accepted: 0 .. 50. */
  readonly minResults: number;
  /** Weight of novelty against similarity in MMR: 0 .. 1. */
  readonly diversity: number;
  readonly rerank: boolean;
  /** Words added to those of the query in the lexical lanes. */
  readonly keywords: readonly string[];
  /** Whether labels are inferred and synonyms are added. */
  readonly expand: boolean;
  /** Rewrites of the text by the chat model that are searched for beside it; null: none. */
  readonly expandWith: QueryExpansion | null;
  /** Lane quota: maximum candidates of each lane, 1 .. 1,000; null: as many as the plan needs. */
  readonly perLane: number | null;
  readonly preferQuality: boolean;
  /** Weights of the negative query, on the scale of `weights`; 0: none. */
  readonly avoid: ByPerspective<number>;
}

/** How a filter is applied: no filter, every matching card scored, or more candidates fetched than needed and filtered. */
export type FilterPlan = 'none' | 'exact' | 'overfetch';

/**
 * How a lane compares: by embedding vectors, by BM25 over words and formulas, or by the posterior of the card's labels (topic
 * tags, error types) given the query.
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

/** All lanes, in display order. */
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

/**
 * Retrievers: Chroma's nearest neighbours, BM25, the cards of the most likely labels, or the exact scan of all cards (or all
 * matching cards) in memory.
 */
export const RETRIEVERS = ['chroma', 'lexical', 'label', 'exact'] as const;
/** One of {@link RETRIEVERS}. */
export type RetrieverName = (typeof RETRIEVERS)[number];

/** One card's exact score in one lane, and its contribution to the fused score. */
export interface LaneScore {
  readonly perspective: Perspective;
  readonly kind: LaneKind;
  /**
   * 0 .. 1. Dense: the cosine similarity of the best passage. Lexical: BM25 as a share of the score of a card that
   * repeats the query. Inferred: the posterior, given the query, of the card's most likely label.
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
/** One of {@link VERDICTS}. */
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

/** Result of one layer of a layered search. */
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

/** Duration of one stage, in milliseconds. */
export interface StageTiming {
  readonly stage: string;
  readonly tookMs: number;
}

/** A label that a text is found to be about. */
export interface InferredLabel {
  readonly perspective: LabelPerspective;
  readonly label: string;
  readonly posterior: number;
}

/** How a search was executed. */
export interface SearchReceipt {
  readonly requestedTopK: number;
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
  /**
   * Result of the no-answer gate: true if the text has no more in common with any candidate than texts have by chance. Then there
   * is no hit, unless threshold steps or a minimum score were given.
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
  readonly receipt: SearchReceipt;
}
