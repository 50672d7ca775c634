import type { ByPerspective } from './perspective.js';
import type { Fusion, QueryExpansion, SearchOperation } from './search.js';

/** Defaults of searches; all hyperparameters that can be tuned without changing the code. */
export interface ProfileSettings {
  /** How much each perspective counts in `hybridSearch`: 0 or more, at least one above 0; only their ratios matter. */
  readonly weights: ByPerspective<number>;
  /** Weight of the lexical lanes against the dense ones: 0 dense only .. 1 lexical only. */
  readonly lexicalShare: number;
  /** Weight of the inferred lanes against all others: 0 none .. 0.95. */
  readonly inferredWeight: number;
  readonly fusion: Fusion;
  /** Minimum scores of hits, 0 .. 1, descending: see the threshold step-down. Null: those of the embedding model. */
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

export interface SearchProfile {
  readonly name: string;
  /** Free text: its purpose or its measured effect; null if none was given. */
  readonly description: string | null;
  readonly settings: ProfileSettings;
  /** What was learned from the notebook, where the profile has it: its operations that are used replace `settings`. */
  readonly learned?: LearnedProfile;
}

/** The name of the profile that is learned from a notebook. */
export const LEARNED_PROFILE = 'learned';

/** Means over the queries that were held out. */
export interface HeldOutQuality {
  readonly ndcgAt10: number;
  readonly mrr: number;
}

/** Settings of one operation, learned from the labelled cards of a notebook. */
export interface LearnedOperation {
  readonly operation: SearchOperation;
  readonly settings: ProfileSettings;
  /** Whether searches use them: only if they were better than the defaults on the queries that were held out. */
  readonly used: boolean;
  readonly trainingQueries: number;
  readonly heldOutQueries: number;
  readonly byDefault: HeldOutQuality;
  readonly learned: HeldOutQuality;
}

export interface LearnedProfile {
  /** The embedding model that the settings are for. */
  readonly model: string;
  /** Labelled cards in the notebook at that time. */
  readonly labelledCards: number;
  readonly learnedAt: Date;
  readonly operations: readonly LearnedOperation[];
}
