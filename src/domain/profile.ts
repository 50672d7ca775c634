import type { ByPerspective } from './perspective.js';
import type { Fusion } from './search.js';

/** How a search decides, where its client does not say: everything that can be tuned without touching the code. */
export interface ProfileSettings {
  /** How much each perspective counts in `hybridSearch`: 0 or more, at least one above 0; only their ratios matter. */
  readonly weights: ByPerspective<number>;
  /** How much the words count beside the vectors: 0 vectors alone .. 1 words alone. */
  readonly lexicalShare: number;
  /** What the inferred lanes weigh beside all others: 0 none .. 0.95. */
  readonly inferredWeight: number;
  readonly fusion: Fusion;
  /** Descending similarities, 0 .. 1, that hits must reach: see the step-down. Null: those of the embedding model. */
  readonly thresholdSteps: readonly number[] | null;
  /** How many hits make a step enough: 0 .. 50. */
  readonly minResults: number;
  /** The weight of a label's profile in the label model, and so how sharply the likeliest label stands out: 1 .. 12. */
  readonly profilePower: number;
  /** What the nearest cards weigh in the label model: 0 .. 1. */
  readonly voteShare: number;
  /** How much novelty counts beside likeness (maximal marginal relevance): 0 .. 1. */
  readonly diversity: number;
}

/** A profile that has a name. */
export interface SearchProfile {
  readonly name: string;
  /** What it is for, or what it was measured to do; null where nobody said. */
  readonly description: string | null;
  readonly settings: ProfileSettings;
}
