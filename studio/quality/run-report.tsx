import { named, useWording } from '../app/i18n.js';
import type { Metric, RunFields } from '../generated/operations.js';
import { DataTable } from '../ui/data-table.js';
import { rankingName } from './ranking-name.js';

/** How each ranking did, with its intervals; beside another run, by how much the search changed. */
export function RunReport({ run, against }: { run: RunFields; against: RunFields | null }) {
  const wording = useWording();
  const { t, number } = wording;
  if (run.state === 'RUNNING') {
    return <progress max={Math.max(1, run.total)} value={run.done} aria-label={t('report.progress')} />;
  }
  if (run.state === 'FAILED') return <p class="notice notice-error">{run.error}</p>;
  const rankings = run.report?.rankings ?? [];
  const metrics = [...(rankings[0]?.metrics ?? [])].map(({ name }) => name).sort((a, b) => placeOf(a) - placeOf(b));
  const valueIn = (other: RunFields | null, name: string, metric: Metric): number | null =>
    other?.report?.rankings.find((one) => one.name === name)?.metrics.find((one) => one.name === metric)?.value ?? null;
  return (
    <DataTable label={t('report.title')} class="rankings">
      <thead>
        <tr>
          <th scope="col">{t('evaluations.ranking')}</th>
          {metrics.map((metric) => (
            <th key={metric} scope="col" class="num">
              {named(wording, 'metric', metric)}
            </th>
          ))}
          <th scope="col" class="num">
            {t('metrics.ms', { percentile: 'p95' })}
          </th>
        </tr>
      </thead>
      <tbody>
        {rankings.map((ranking) => (
          <tr key={ranking.name} class={ranking.type === 'SEARCH' ? 'whole' : ''}>
            <th scope="row">{rankingName(wording, ranking)}</th>
            {metrics.map((metric) => {
              const estimate = ranking.metrics.find((one) => one.name === metric);
              if (estimate === undefined) return <td key={metric} />;
              const { value, low, high } = estimate;
              const before = valueIn(against, ranking.name, metric);
              return (
                <td
                  key={metric}
                  class="num"
                  title={t('evaluations.interval', { low: number(low, 3), high: number(high, 3) })}
                >
                  {number(value, 3)}
                  {before !== null && <Change by={value - before} />}
                  {high <= 1 && (
                    <span class="interval" aria-hidden="true">
                      <i style={{ left: `${low * 100}%`, width: `${Math.max(1, (high - low) * 100)}%` }} />
                    </span>
                  )}
                </td>
              );
            })}
            <td class="num">{ranking.p95Ms === null ? '–' : number(ranking.p95Ms, 1)}</td>
          </tr>
        ))}
      </tbody>
    </DataTable>
  );
}

/** What says most comes first; the others keep their order. */
const FIRST: readonly Metric[] = ['NDCG_AT_10', 'MRR', 'RECALL_AT_10', 'PRECISION_AT_10'];

function placeOf(metric: Metric): number {
  const place = FIRST.indexOf(metric);
  return place < 0 ? FIRST.length : place;
}

/** Less than half of what is shown is no change. */
const SHOWN = 0.0005;

function Change({ by }: { by: number }) {
  const { number } = useWording();
  if (Math.abs(by) < SHOWN) return <span class="change">±0</span>;
  return (
    <span class={by > 0 ? 'change moved-up' : 'change moved-down'}>
      {by > 0 ? '+' : '−'}
      {number(Math.abs(by), 3)}
    </span>
  );
}
