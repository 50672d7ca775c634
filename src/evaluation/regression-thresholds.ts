import type { SearchOperation } from '../domain/search.js';
import { BETTER, METRICS, type Metric } from './metrics.js';
import { type EvaluationReport, MAIN_METRICS, type MainMetric } from './report.js';
import { decimal, METRIC_NAMES } from './report-wording.js';

/**
 * What search must be worth on a golden set, so that a change that makes it worse is seen at once. Where less is better, as with
 * empty lists, the number is the most that there may be.
 */
export interface RegressionThresholds {
  readonly search: Readonly<Partial<Record<Metric, number>>>;
  readonly operations: Readonly<Partial<Record<SearchOperation, Readonly<Partial<Record<MainMetric, number>>>>>>;
}

/** A value with the limit that it is held to. */
interface Held {
  readonly where: string;
  readonly metric: Metric;
  readonly value: number;
  readonly floor: number;
}

/** RegressionThresholds stay this far below what was measured: one case in a hundred that loses its best hit is not yet a regression. */
const SLACK = 0.01;

/** What is worse than its floor, a sentence each; empty where the gate is passed. */
export function belowThresholds(report: EvaluationReport, floors: RegressionThresholds): readonly string[] {
  const missing = Object.keys(floors.operations).filter((operation) => mainsOf(report, operation) === undefined);
  return [
    ...missing.map((operation) => `${operation}: no case was measured`),
    ...heldValues(report, floors)
      .filter(({ metric, value, floor }) => (BETTER[metric] === 'lower' ? value > floor : value < floor))
      .map(({ where, metric, value, floor }) => {
        const bound = BETTER[metric] === 'lower' ? 'above' : 'below';
        return `${where}: ${METRIC_NAMES[metric]} is ${decimal(value)}, ${bound} the floor of ${decimal(floor)}`;
      }),
  ];
}

/** The floors that this report allows: those that were there, raised where search got better, never lowered. */
export function raisedThresholds(report: EvaluationReport, floors: RegressionThresholds): RegressionThresholds {
  const raised = (metric: Metric, value: number, floor: number): number =>
    BETTER[metric] === 'lower'
      ? Math.min(floor, Math.ceil((value + SLACK) * 100) / 100)
      : Math.max(floor, Math.floor((value - SLACK) * 100) / 100);
  const whole = Object.fromEntries(
    METRICS.flatMap((metric) => {
      const floor = floors.search[metric];
      return floor === undefined ? [] : [[metric, raised(metric, overall(report, metric), floor)]];
    }),
  );
  const operations = Object.fromEntries(
    Object.entries(floors.operations).map(([operation, given]) => {
      const measured = mainsOf(report, operation);
      const mains = MAIN_METRICS.flatMap((metric) => {
        const floor = given[metric];
        if (floor === undefined) return [];
        return [[metric, measured === undefined ? floor : raised(metric, measured[metric].value, floor)]];
      });
      return [operation, Object.fromEntries(mains)];
    }),
  );
  return { search: whole, operations };
}

function heldValues(report: EvaluationReport, { search, operations }: RegressionThresholds): readonly Held[] {
  const whole = METRICS.flatMap((metric): Held[] => {
    const floor = search[metric];
    return floor === undefined ? [] : [{ where: 'all cases', metric, value: overall(report, metric), floor }];
  });
  const parts = Object.entries(operations).flatMap(([operation, floors]) =>
    MAIN_METRICS.flatMap((metric): Held[] => {
      const floor = floors[metric];
      const measured = mainsOf(report, operation);
      if (floor === undefined || measured === undefined) return [];
      return [{ where: operation, metric, value: measured[metric].value, floor }];
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
