import type { MetadataEntry, QualityGrade } from './card.js';
import type { Language } from './language.js';
import { type ByPerspective, PERSPECTIVES, type Perspective } from './perspective.js';

/**
 * Restricts which cards may be returned. Absent keys do not restrict; lists mean "any of" unless their name says "all",
 * and are never empty.
 */
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

/** Deadline of a search. Lanes that are not ready by then are left out. */
export const SEARCH_DEADLINE_MS = 2_000;

/** Limit of `minResults`; a profile that has it ends no list before `topK` hits. */
export const MAX_ENOUGH = 50;

/** Query: a text, or a stored card. */
export type SearchSubject =
  | {
      readonly kind: 'text';
      readonly text: string;
      /**
       * The card that the text is taken from: it is no hit, and its labels are inferred as if it were not in the
       * notebook.
       */
      readonly leaveOut?: string;
    }
  | { readonly kind: 'card'; readonly cardId: string };

export const SEARCH_OPERATIONS = ['similarQuestions', 'bySolution', 'byConcept', 'byError', 'hybridSearch'] as const;
export type SearchOperation = (typeof SEARCH_OPERATIONS)[number];

/**
 * Combination of the lanes' scores: weighted sum, reciprocal rank fusion, or relative score fusion (each score scaled
 * between the worst and the best of its lane).
 */
export const FUSION_NAMES = ['WEIGHTED', 'RRF', 'RELATIVE'] as const;
export type Fusion = (typeof FUSION_NAMES)[number];

/** Candidate generation: by all lanes at once, or layer by layer until there are enough. */
export const RECALL_STRATEGIES = ['FUSED', 'LAYERED'] as const;
export type RecallStrategy = (typeof RECALL_STRATEGIES)[number];

/** How the chat model expands a query: 2 or 3 short rewrites, or a passage as a card would have it (HyDE). */
export const QUERY_EXPANSIONS = ['MULTI_QUERY', 'HYDE'] as const;
export type QueryExpansion = (typeof QUERY_EXPANSIONS)[number];

/** The layers of a layered search, in the order in which they are tried. */
export type RecallLayer = 'SEMANTIC' | 'STRUCTURE' | 'KEYWORD' | 'EXPANDED';

/** Defaults of searches; all hyperparameters that can be tuned without changing the code. */
export interface ProfileSettings {
  /** 0 or more, at least one above 0; only ratios matter. In a profile: those of `hybridSearch`. */
  readonly weights: ByPerspective<number>;
  /**
   * Weight of the lexical lanes against the dense ones: 0 dense only .. 1 lexical only. At 0 no label is inferred
   * either.
   */
  readonly lexicalShare: number;
  /** Weight of the inferred lanes against all others: 0 none .. 0.95. */
  readonly inferredWeight: number;
  readonly fusion: Fusion;
  /**
   * Minimum weighted scores of hits, 0 .. 1, descending: the first that enough cards reach applies. Null: those of the
   * embedding model.
   */
  readonly thresholdSteps: readonly number[] | null;
  /** Number of hits at which a threshold step is accepted: 0 .. 50. */
  readonly minResults: number;
  /** Weight of the label's BM25 profile in the log-linear label model: 1 .. 12. */
  readonly profilePower: number;
  /** Weight of the kNN vote in the label model: 0 .. 1. */
  readonly voteShare: number;
  /** Weight of novelty against similarity in MMR: 0 .. 1. */
  readonly diversity: number;
  /** Rewrites by the chat model that are searched for beside a text; null: none. */
  readonly expandWith: QueryExpansion | null;
}

/** A parsed search with all defaults applied; null values depend on the results. */
export interface SearchRequest extends ProfileSettings {
  readonly operation: SearchOperation;
  readonly subject: SearchSubject;
  /** Name of the search profile that the settings come from; null: of none. */
  readonly profile: string | null;
  /** Whether neither the client nor a saved profile gave the weights: they are built in, or learned. */
  readonly defaultWeights: boolean;
  /** 1 .. 200 */
  readonly topK: number;
  readonly filter: CardFilter;
  readonly strategy: RecallStrategy;
  /** Minimum weighted score of hits; null: the threshold steps apply. */
  readonly minScore: number | null;
  readonly rerank: boolean;
  /** Words added to those of the query in the lexical lanes. */
  readonly keywords: readonly string[];
  /** Whether labels are inferred and synonyms are added. */
  readonly expand: boolean;
  /** Lane quota: maximum candidates of each lane, 1 .. 1,000; null: as many as the plan needs. */
  readonly perLane: number | null;
  readonly preferQuality: boolean;
  /** Whether the second and third hit may cover other likely labels of a text; false: by score alone. */
  readonly coverLabels: boolean;
  /** Weights of the negative query, on the scale of `weights`; 0: none. */
  readonly avoid: ByPerspective<number>;
}

/**
 * How a lane compares: by embedding vectors, by BM25 over words and formulas, or by the posterior of the card's labels
 * (topic tags, error types) given the query.
 */
export type LaneKind = 'DENSE' | 'LEXICAL' | 'INFERRED';

/** The perspectives whose texts are labels: topic tags and error types. */
export const LABEL_PERSPECTIVES = ['concept', 'error'] as const;
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
export function laneName({ kind, perspective }: Pick<Lane, 'kind' | 'perspective'>): string {
  return `${kind.toLowerCase()} ${perspective}`;
}
