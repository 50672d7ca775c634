import { useQuery } from '../api/use-query.js';
import { named, useWording } from '../app/i18n.js';
import { SearchMetrics } from '../generated/operations.js';
import { Scrolled } from '../ui/data-table.js';
import { Figures } from '../ui/figures.js';
import { ErrorNotice } from '../ui/notices.js';

/** How the searches of the school go at this gateway: times by stage, and what they lacked. */
export function SearchFigures() {
  const wording = useWording();
  const { t, number, percent } = wording;
  const { data, error, reload } = useQuery(SearchMetrics, {}, { everyMs: 5_000 });
  const metrics = data?.searchMetrics;
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
            <Table
              caption={t('metrics.operations')}
              columns={['p50', 'p95', 'p99']}
              rows={metrics.operations.map(({ search, p50Ms, p95Ms, p99Ms }) => ({
                name: named(wording, 'operation', search),
                values: [p50Ms, p95Ms, p99Ms],
                share: null,
              }))}
            />
            <Table
              caption={t('metrics.stages')}
              columns={['p50', 'p95']}
              rows={metrics.stages.map(({ name, p50Ms, p95Ms }) => ({
                name: name === null ? '–' : named(wording, 'stage', name.toLowerCase()),
                values: [p50Ms, p95Ms],
                share: p95Ms / slowest,
              }))}
            />
          </div>
        </>
      )}
    </section>
  );
}

function Table({
  caption,
  columns,
  rows,
}: {
  caption: string;
  columns: readonly string[];
  rows: readonly { readonly name: string; readonly values: readonly number[]; readonly share: number | null }[];
}) {
  const { t, number } = useWording();
  return (
    <Scrolled label={caption}>
      <table class="data">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t('metrics.what')}</th>
            {columns.map((column) => (
              <th key={column} scope="col" class="num">
                {t('metrics.ms', { percentile: column })}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, values, share }) => (
            <tr key={name}>
              <th scope="row">
                {name}
                {share !== null && <i class="meter" style={{ width: `${share * 100}%` }} />}
              </th>
              {values.map((value, place) => (
                <td key={columns[place]} class="num">
                  {number(value, 1)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}
