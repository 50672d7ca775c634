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
  readonly where: string;
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
  replaced(report, thresholds, ({ where, metric, value, threshold }) => {
    const isMaximum = BETTER[metric] === 'lower';
    if (isMaximum ? value > threshold : value < threshold) {
      const bound = isMaximum ? 'above' : 'below';
      missed.push(
        `${where}: ${METRIC_NAMES[metric]} is ${decimal(value)}, ${bound} the threshold of ${decimal(threshold)}`,
      );
    }
    return threshold;
  });
  return missed;
}

/** The thresholds, raised for metrics that have improved; never lowered. */
export function raisedThresholds(report: EvaluationReport, thresholds: RegressionThresholds): RegressionThresholds {
  return replaced(report, thresholds, ({ metric, value, threshold }) =>
    BETTER[metric] === 'lower'
      ? Math.min(threshold, Math.ceil((value + SLACK) * 100) / 100)
      : Math.max(threshold, Math.floor((value - SLACK) * 100) / 100),
  );
}

/** The thresholds with what `by` returns for each; those of operations without a case are kept. */
function replaced(
  report: EvaluationReport,
  { search, operations }: RegressionThresholds,
  by: (held: Held) => number,
): RegressionThresholds {
  const [whole] = report.rankings;
  if (whole === undefined) throw new Error('a report has no ranking');
  const each = (where: string, given: RegressionThresholds['search'], measured: Measured | undefined) =>
    Object.fromEntries(
      METRICS.flatMap((metric) => {
        const [threshold, value] = [given[metric], measured?.[metric]?.value];
        if (threshold === undefined) return [];
        return [[metric, value === undefined ? threshold : by({ where, metric, value, threshold })]];
      }),
    );
  return {
    search: each('all cases', search, whole.metrics),
    operations: Object.fromEntries(
      Object.entries(operations).map(([name, given]) => [name, each(name, given, mainsOf(report, name))]),
    ),
  };
}

type Measured = Readonly<Partial<Record<Metric, Estimate>>>;

function mainsOf({ rankings: [search] }: EvaluationReport, operation: string): Measured | undefined {
  return search?.slices.find(({ slice, group }) => slice === 'operation' && group === operation)?.metrics;
}
