import type { FilterPlan } from './search.js';

/** How long something took, in milliseconds, by nearest rank over the recent searches. */
export interface Latency {
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** One kind of search. */
export interface OperationMetrics extends Latency {
  /** `hybridSearch`, ... */
  readonly operation: string;
  /** How many were answered since the gateway started. */
  readonly searches: number;
  readonly p99Ms: number;
}

/** One stage of the recent searches of all kinds. */
export interface StageMetrics extends Latency {
  readonly stage: string;
}

/** How many of the recent searches kept their filter in one way. */
export interface FilterPlanMetrics {
  readonly plan: FilterPlan;
  readonly searches: number;
}

/** What became of one tenant's searches at this gateway. Shares are 0 .. 1, and null before the first search. */
export interface SearchMetrics {
  /** How many were answered since the gateway started; of more than a hundred tenants those that searched last are remembered. */
  readonly searches: number;
  /** How many ended without an answer, though nothing was wrong with the question. */
  readonly failed: number;
  /** How many of those that were answered the figures below are of: the most recent ones of each kind. */
  readonly recent: number;
  readonly zeroResultRate: number | null;
  readonly degradedRate: number | null;
  /** How often the vector of a text was at hand; null while no cache is in front of the model. */
  readonly embeddingCacheHitRate: number | null;
  /** Those that were asked for, in alphabetical order. */
  readonly operations: readonly OperationMetrics[];
  /** In the order in which searches go through them. */
  readonly stages: readonly StageMetrics[];
  readonly filterPlans: readonly FilterPlanMetrics[];
}
