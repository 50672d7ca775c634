import type { ProfileSettings, SearchOperation } from './search.js';

export interface SearchProfile {
  readonly name: string;
  /** Free text: its purpose or its measured effect; null if none was given. */
  readonly description: string | null;
  readonly settings: ProfileSettings;
  /** What was learned from the notebook, where the profile has it: its operations that are used replace `settings`. */
  readonly learned?: LearnedProfile;
}

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
