import type { SearchOperation } from '../../domain/search.js';
import { BETTER, MAIN_METRICS, type MainMetric, METRICS, type Metric } from '../metrics.js';
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
  return [
    ...missing.map((operation) => `${operation}: no case was measured`),
    ...heldValues(report, thresholds)
      .filter(({ metric, value, threshold }) => (BETTER[metric] === 'lower' ? value > threshold : value < threshold))
      .map(({ where, metric, value, threshold }) => {
        const bound = BETTER[metric] === 'lower' ? 'above' : 'below';
        return `${where}: ${METRIC_NAMES[metric]} is ${decimal(value)}, ${bound} the threshold of ${decimal(threshold)}`;
      }),
  ];
}

/** The thresholds, raised for metrics that have improved; never lowered. */
export function raisedThresholds(report: EvaluationReport, thresholds: RegressionThresholds): RegressionThresholds {
  const raised = (metric: Metric, value: number, threshold: number): number =>
    BETTER[metric] === 'lower'
      ? Math.min(threshold, Math.ceil((value + SLACK) * 100) / 100)
      : Math.max(threshold, Math.floor((value - SLACK) * 100) / 100);
  const whole = Object.fromEntries(
    METRICS.flatMap((metric) => {
      const threshold = thresholds.search[metric];
      return threshold === undefined ? [] : [[metric, raised(metric, overall(report, metric), threshold)]];
    }),
  );
  const operations = Object.fromEntries(
    Object.entries(thresholds.operations).map(([operation, given]) => {
      const measured = mainsOf(report, operation);
      const mains = MAIN_METRICS.flatMap((metric) => {
        const threshold = given[metric];
        if (threshold === undefined) return [];
        return [[metric, measured === undefined ? threshold : raised(metric, measured[metric].value, threshold)]];
      });
      return [operation, Object.fromEntries(mains)];
    }),
  );
  return { search: whole, operations };
}

function heldValues(report: EvaluationReport, { search, operations }: RegressionThresholds): readonly Held[] {
  const whole = METRICS.flatMap((metric): Held[] => {
    const threshold = search[metric];
    return threshold === undefined ? [] : [{ where: 'all cases', metric, value: overall(report, metric), threshold }];
  });
  const parts = Object.entries(operations).flatMap(([operation, thresholds]) =>
    MAIN_METRICS.flatMap((metric): Held[] => {
      const threshold = thresholds[metric];
      const measured = mainsOf(report, operation);
      if (threshold === undefined || measured === undefined) return [];
      return [{ where: operation, metric, value: measured[metric].value, threshold }];
    }),
  );
  return [...whole, ...parts];
}

function overall({ rankings: [search] }: EvaluationReport, metric: Metric): number {
  if (search === undefined) throw new Error('a report has no ranking');
  return search.metrics[metric].value;
}

function mainsOf({ rankings: [search] }: EvaluationReport, operation: string) {
  return search?.slices.find(({ slice, group }) => slice === 'operation' && group === operation)?.metrics;
}
