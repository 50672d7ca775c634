import { Counter, Histogram, type Registry } from 'prom-client';

/** From 1 ms to 10 s, the deadline of requests. In seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export interface RequestMetrics {
  /** One HTTP request, by its route, or `none`. */
  answered(route: string, status: number, seconds: number): void;
  /** One root field, with the duration of the whole operation; `OK`, or the code of its first error. */
  operation(field: string, outcome: string, seconds: number): void;
}

export function createRequestMetrics(registry: Registry): RequestMetrics {
  const registers = [registry];
  const http = new Histogram({
    name: 'errata_http_request_seconds',
    help: 'Time from the first byte of an HTTP request to the last of its answer, by route and status, in seconds.',
    labelNames: ['route', 'status'],
    buckets: BUCKETS,
    registers,
  });
  const operations = new Histogram({
    name: 'errata_operation_seconds',
    help: 'Time of GraphQL operations, by field of the root, in seconds. An operation with several counts for each.',
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers,
  });
  const outcomes = new Counter({
    name: 'errata_operations_total',
    help: 'GraphQL operations by field of the root, and by outcome: OK, or the code of the first error.',
    labelNames: ['operation', 'outcome'],
    registers,
  });
  return {
    answered: (route, status, seconds) => http.observe({ route, status }, seconds),
    operation(field, outcome, seconds) {
      operations.observe({ operation: field }, seconds);
      outcomes.inc({ operation: field, outcome });
    },
  };
}
