import { useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { SearchMetrics } from '../generated/operations.js';
import { Bar } from '../ui/chart.js';
import { DataTable } from '../ui/data-table.js';
import { Figures } from '../ui/figures.js';
import { ErrorNotice } from '../ui/notices.js';

/** How the searches of the school go at this gateway: times by stage, and what they lacked. */
export function SearchFigures() {
  const { t, number, percent, named } = useWording();
  const { data, error, reload } = useQuery(SearchMetrics, {}, { everyMs: 5_000 });
  const metrics = data?.searchMetrics;
  const ms = (percentile: string): string => t('metrics.ms', { percentile });
  const share = (value: number | null): string => (value === null ? '–' : percent(value, 1));
  const slowest = Math.max(0.001, ...(metrics?.stages ?? []).map(({ p95Ms }) => p95Ms));
  return (
    <section class="box" aria-label={t('metrics.title')}>
      <h2>{t('metrics.title')}</h2>
      <ErrorNotice error={error} retry={reload} />
      {metrics !== undefined && (
        <>
          <Figures
            figures={(
              [
                ['searches', number(metrics.searches)],
                ['failed', number(metrics.failed)],
                ['zero', share(metrics.zeroResultRate)],
                ['degraded', share(metrics.degradedRate)],
                ['cache', share(metrics.embeddingCacheHitRate)],
              ] as const
            ).map(([key, value]) => ({ key, name: t(`metrics.${key}`), value }))}
          />
          <p class="detail">{t('metrics.recent', { count: number(metrics.recent) })}</p>
          <div class="two">
            <DataTable
              label={t('metrics.operations')}
              caption={t('metrics.operations')}
              rows={metrics.operations}
              keyOf={({ search }) => search}
              columns={[
                { name: t('metrics.what'), head: ({ search }) => named('operation', search) },
                { name: ms('p50'), number: ({ p50Ms }) => number(p50Ms, 1) },
                { name: ms('p95'), number: ({ p95Ms }) => number(p95Ms, 1) },
                { name: ms('p99'), number: ({ p99Ms }) => number(p99Ms, 1) },
              ]}
            />
            <DataTable
              label={t('metrics.stages')}
              caption={t('metrics.stages')}
              rows={metrics.stages}
              keyOf={({ name }) => name ?? ''}
              columns={[
                {
                  name: t('metrics.what'),
                  head: ({ name, p95Ms }) => (
                    <>
                      {name === null ? '–' : named('stage', name.toLowerCase())}
                      <Bar to={p95Ms / slowest} />
                    </>
                  ),
                },
                { name: ms('p50'), number: ({ p50Ms }) => number(p50Ms, 1) },
                { name: ms('p95'), number: ({ p95Ms }) => number(p95Ms, 1) },
              ]}
            />
          </div>
        </>
      )}
    </section>
  );
}
