import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** Values that prom-client reads from a histogram of delays, whose timer wakes an idle process 100 times a second: 0.9 % of a core. */
const DELAYS = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];

/** The longest that a timer waits, in ms: 24 days. */
const NEVER_MS = 2 ** 31 - 1;

/**
 * prom-client's metrics of the process. The event loop lag is measured at each scrape (`nodejs_eventloop_lag_seconds`); its
 * utilization since the last scrape costs nothing, and replaces the histogram.
 */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const name of DELAYS) registry.removeSingleMetric(`nodejs_eventloop_lag_${name}_seconds`);
  let before = performance.eventLoopUtilization();
  new Gauge({
    name: 'nodejs_eventloop_utilization_ratio',
    help: 'Share of the time since this was last read in which the event loop was busy: near 1, everything waits.',
    registers: [registry],
    collect() {
      const now = performance.eventLoopUtilization();
      this.set(performance.eventLoopUtilization(now, before).utilization);
      before = now;
    },
  });
}
