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

/** The most hits that a search may ask for. */
export const MAX_HITS = 50;

/** What to look for: words, or whatever is like a card that exists. */
export type SearchSubject =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'card'; readonly cardId: string };

/** The searches that the API offers. */
export const SEARCH_OPERATIONS = ['similarQuestions', 'bySolution', 'byConcept', 'byError', 'hybridSearch'] as const;
/** One of {@link SEARCH_OPERATIONS}. */
export type SearchOperation = (typeof SEARCH_OPERATIONS)[number];

/**
 * How the lanes' scores become one: by the scores themselves, by the places in each lane (reciprocal rank fusion), or by where
 * a score lies between the worst and the best of its lane.
 */
export const FUSION_NAMES = ['WEIGHTED', 'RRF', 'RELATIVE'] as const;
/** One of {@link FUSION_NAMES}. */
export type Fusion = (typeof FUSION_NAMES)[number];

/** How cards are proposed: by all lanes at once, or layer by layer until there are enough. */
export const RECALL_STRATEGIES = ['FUSED', 'LAYERED'] as const;
/** One of {@link RECALL_STRATEGIES}. */
export type RecallStrategy = (typeof RECALL_STRATEGIES)[number];

/** The layers of a layered search, in the order in which they are tried. */
export const RECALL_LAYERS = ['SEMANTIC', 'STRUCTURE', 'KEYWORD', 'EXPANDED'] as const;
/** One of {@link RECALL_LAYERS}. */
export type RecallLayer = (typeof RECALL_LAYERS)[number];

/** A search as parsed and complete: what is null is decided by what the search finds. */
export interface SearchRequest {
  readonly operation: SearchOperation;
  readonly subject: SearchSubject;
  /** 0 or more for each perspective, at least one above 0; only their ratios matter. */
  readonly weights: ByPerspective<number>;
  /** How much the words count beside the vectors: 0 vectors alone .. 1 words alone. At 0 no label is inferred either. */
  readonly lexicalShare: number;
  /** What the inferred lanes weigh beside all others: 0 none .. 0.95. */
  readonly inferredWeight: number;
  /** The weight of a label's profile in the label model, and so how sharply the likeliest label stands out. */
  readonly profilePower: number;
  /** What the nearest cards weigh in the label model: 0 .. 1. */
  readonly voteShare: number;
  /** 1 .. 50 */
  readonly topK: number;
  readonly filter: CardFilter;
  readonly fusion: Fusion;
  readonly strategy: RecallStrategy;
  /** Hits that are less alike, by the weighted score, are left out; null: the steps decide. */
  readonly minScore: number | null;
  /** What the weighted score must reach: the first of them, descending, that enough cards do; null: those of the model. */
  readonly thresholdSteps: readonly number[] | null;
  /** How many hits make a step enough: 0 .. 50. */
  readonly minResults: number;
  /** How much novelty counts beside likeness in choosing the hits: 0 not at all .. 1 alone. */
  readonly diversity: number;
  readonly rerank: boolean;
  /** Words that count in the lexical lanes beside those of the subject. */
  readonly keywords: readonly string[];
  /** Whether labels are inferred and synonyms are asked for. */
  readonly expand: boolean;
  /** How many candidates each lane may bring, 1 .. 1,000; null: as many as the plan asks for. */
  readonly perLane: number | null;
  readonly preferQuality: boolean;
  /** On the scale of `weights`: what a hit should not be like; 0 where that does not matter. */
  readonly avoid: ByPerspective<number>;
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

/**
 * What proposes candidates: Chroma's nearest neighbours, BM25, the cards of the most likely labels, or every card (or every card
 * that matches the filter), compared in memory.
 */
export const RETRIEVERS = ['chroma', 'lexical', 'label', 'exact'] as const;
/** One of {@link RETRIEVERS}. */
export type RetrieverName = (typeof RETRIEVERS)[number];

/** One card's exact score in one lane, and what it gave to the whole. */
export interface LaneScore {
  readonly perspective: Perspective;
  readonly kind: LaneKind;
  /**
   * 0 .. 1. Dense: the cosine similarity of the best passage. Lexical: BM25 as a share of what a card that repeats the query
   * gets. Inferred: how far the query is believed to be about the most likely of the card's labels.
   */
  readonly score: number;
  /** The lane's share in the plan: 0 .. 1, 0 where the lane was not asked for, below 0 where likeness is avoided. */
  readonly weight: number;
  /** What the lane added to the hit's fused score: the contributions of a hit sum to it. */
  readonly contribution: number;
  /** The card's place among the candidates by this lane alone, 1 is best; null where the lane was not asked for. */
  readonly rank: number | null;
}

/**
 * Why a hit is worth practising, strongest first: the very question again; the same question with other numbers or in another
 * story; another question with the same error; another question about the same knowledge point; none of these.
 */
export const VERDICTS = ['DUPLICATE', 'SAME_QUESTION_NEW_SKIN', 'SAME_TRAP', 'SAME_IDEA', 'RELATED'] as const;
/** One of {@link VERDICTS}. */
export type Verdict = (typeof VERDICTS)[number];

/** One card that was found, and why. */
export interface SearchHit {
  readonly card: Card;
  /** 1 is best. */
  readonly rank: number;
  /** 0 .. 1: fused; reranked, where the receipt names a cross-encoder. */
  readonly score: number;
  readonly verdict: Verdict;
  readonly lanes: readonly LaneScore[];
  /** The cross-encoder's raw logit; null where the hit was not reranked. */
  readonly rerankLogit: number | null;
  /** The layer that admitted it; null where the search was not layered. */
  readonly layer: RecallLayer | null;
  /** The step that admitted it; null where no step applied. */
  readonly threshold: number | null;
}

/** One layer of a layered search: what it was for and what came of it. */
export interface LayerTrial {
  readonly layer: RecallLayer;
  /** How many cards it admitted that no layer before it had. */
  readonly admitted: number;
  /** The lowest step that it came to; null where no step applied or the layer failed. */
  readonly threshold: number | null;
  readonly tookMs: number;
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
  readonly strategy: RecallStrategy;
  readonly fusion: Fusion;
  /** Those that were asked. */
  readonly retrievers: readonly RetrieverName[];
  readonly filterPlan: FilterPlan;
  /** How many cards the filter lets through; null without a filter. */
  readonly matchedByFilter: number | null;
  /** How many cards were scored. */
  readonly candidates: number;
  /** The steps that were tried, descending; none where minScore was given. */
  readonly thresholdsTried: readonly number[];
  /**
   * True where the text has no more in common with any candidate than texts have by chance; there is no hit then, unless steps
   * or a least score were given.
   */
  readonly nothingClose: boolean;
  /** The layers that were tried, in order; none where the search was not layered. */
  readonly layers: readonly LayerTrial[];
  /** The query with its spelling corrected and with the words that were added to it; null where nothing was. */
  readonly expandedQuery: string | null;
  /** The labels that the query was found to be about, the most likely first; none for a card that has labels itself. */
  readonly inferredConcepts: readonly string[];
  readonly embeddingModel: string;
  /** Null where no cross-encoder had a say. */
  readonly rerankModel: string | null;
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
