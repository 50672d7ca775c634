import type { SearchOperation } from './search.js';
import type { FilterPlan } from './search-result.js';

/** Percentiles in milliseconds, by nearest rank over the recent searches. */
export interface Latency {
  readonly p50Ms: number;
  readonly p95Ms: number;
}

export interface OperationMetrics extends Latency {
  readonly operation: SearchOperation;
  /** Number answered since the gateway started. */
  readonly searches: number;
  readonly p99Ms: number;
}

/** One stage of the recent searches of all kinds. */
export interface StageMetrics extends Latency {
  readonly stage: string;
}

/** Number of recent searches that applied their filter by one plan. */
export interface FilterPlanMetrics {
  readonly plan: FilterPlan;
  readonly searches: number;
}

/** One tenant's searches at this gateway. Shares are 0 .. 1, and null before the first search. */
export interface SearchMetrics {
  /** Number answered since the gateway started; kept for the hundred tenants that searched last. */
  readonly searches: number;
  readonly failed: number;
  /** Number of searches that the figures below are computed from: the most recent ones of each kind. */
  readonly recent: number;
  readonly zeroResultRate: number | null;
  readonly degradedRate: number | null;
  /** Hit rate of the embedding cache; null if the model has no cache. */
  readonly embeddingCacheHitRate: number | null;
  /** In alphabetical order. */
  readonly operations: readonly OperationMetrics[];
  /** In the order of execution. */
  readonly stages: readonly StageMetrics[];
  readonly filterPlans: readonly FilterPlanMetrics[];
}
