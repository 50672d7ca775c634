import { expect, test } from 'vitest';
import { createMetrics } from '../../../src/observability/metrics.js';

test('event loop utilisation is measured without a timer that keeps an idle process busy', async () => {
  const { registry } = createMetrics();
  const names = (await registry.getMetricsAsJSON()).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'process_cpu_seconds_total',
      'nodejs_eventloop_lag_seconds',
      'nodejs_eventloop_utilization_ratio',
    ]),
  );
  // A histogram of delays is fed by such a timer.
  expect(names.filter((name) => /^nodejs_eventloop_lag_.+_seconds$/.test(name))).toEqual([]);
  const utilization = await registry.getSingleMetric('nodejs_eventloop_utilization_ratio')?.get();
  expect(utilization?.values[0]?.value).toBeGreaterThanOrEqual(0);
  expect(utilization?.values[0]?.value).toBeLessThanOrEqual(1);
});
