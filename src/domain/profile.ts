import type { ByPerspective } from './perspective.js';
import type { Fusion, QueryExpansion } from './search.js';

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
  /** Weight of the label centroid in the label model, an exponent: 1 .. 12. */
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
}
