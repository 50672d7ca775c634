import type { SearchOperation } from '../../domain/search.js';
import { BETTER, type MainMetric, METRICS, type Metric } from '../metrics.js';
import type { Estimate } from '../statistics.js';
import type { EvaluationReport } from './report.js';
import { decimal, METRIC_NAMES } from './report-wording.js';

/**
 * Limits of metrics on a golden set: minima, or maxima for metrics that are better when lower, as the rate of empty
 * lists.
 */
export interface RegressionThresholds {
  readonly search: Readonly<Partial<Record<Metric, number>>>;
  readonly operations: Readonly<Partial<Record<SearchOperation, Readonly<Partial<Record<MainMetric, number>>>>>>;
}

interface Held {
  /** Null: all cases. */
  readonly operation: string | null;
  readonly metric: Metric;
  readonly value: number;
  readonly threshold: number;
}

/**
 * Thresholds stay this far below the measured value: one case in a hundred that loses its best hit is not yet a
 * regression.
 */
const SLACK = 0.01;

/** One sentence for each threshold that is not met; empty if all are. */
export function belowThresholds(report: EvaluationReport, thresholds: RegressionThresholds): readonly string[] {
  const missing = Object.keys(thresholds.operations).filter((operation) => mainsOf(report, operation) === undefined);
  const missed = missing.map((operation) => `${operation}: no case was measured`);
  for (const { operation, metric, value, threshold } of heldValues(report, thresholds)) {
    const isMaximum = BETTER[metric] === 'lower';
    if (isMaximum ? value <= threshold : value >= threshold) continue;
    const bound = isMaximum ? 'above' : 'below';
    missed.push(
      `${operation ?? 'all cases'}: ${METRIC_NAMES[metric]} is ${decimal(value)}, ${bound} the threshold of ${decimal(threshold)}`,
    );
  }
  return missed;
}

/** The thresholds, raised for metrics that have improved; never lowered. Those of operations without a case stay. */
export function raisedThresholds(report: EvaluationReport, thresholds: RegressionThresholds): RegressionThresholds {
  const raised: { search: Limits; operations: Partial<Record<string, Limits>> } = structuredClone(thresholds);
  for (const { operation, metric, value, threshold } of heldValues(report, thresholds)) {
    const limits = operation === null ? raised.search : raised.operations[operation];
    if (limits === undefined) continue;
    limits[metric] =
      BETTER[metric] === 'lower'
        ? Math.min(threshold, Math.ceil((value + SLACK) * 100) / 100)
        : Math.max(threshold, Math.floor((value - SLACK) * 100) / 100);
  }
  return raised;
}

type Limits = Partial<Record<Metric, number>>;

/** Each threshold whose metric was measured. */
function* heldValues(report: EvaluationReport, { search, operations }: RegressionThresholds): Iterable<Held> {
  const [whole] = report.rankings;
  if (whole === undefined) throw new Error('a report has no ranking');
  yield* heldBy(null, search, whole.metrics);
  for (const [name, limits] of Object.entries(operations)) yield* heldBy(name, limits, mainsOf(report, name));
}

function* heldBy(operation: string | null, limits: Limits, measured: Measured | undefined): Iterable<Held> {
  for (const metric of METRICS) {
    const [threshold, value] = [limits[metric], measured?.[metric]?.value];
    if (threshold !== undefined && value !== undefined) yield { operation, metric, value, threshold };
  }
}

type Measured = Readonly<Partial<Record<Metric, Estimate>>>;

function mainsOf({ rankings: [search] }: EvaluationReport, operation: string): Measured | undefined {
  return search?.slices.find(({ slice, group }) => slice === 'operation' && group === operation)?.metrics;
}
