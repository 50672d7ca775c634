import { useWording } from '../app/i18n.js';
import type { Metric, RunFields } from '../generated/operations.js';
import { Bar } from '../ui/chart.js';
import { DataTable } from '../ui/data-table.js';
import { rankingName } from './ranking-name.js';

type Ranking = NonNullable<RunFields['report']>['rankings'][number];

/** How each ranking did, with its intervals; beside another run, by how much the search changed. */
export function RunReport({ run, against }: { run: RunFields; against: RunFields | null }) {
  const wording = useWording();
  const { t, number } = wording;
  if (run.state === 'RUNNING') {
    return <progress max={Math.max(1, run.total)} value={run.done} aria-label={t('report.progress')} />;
  }
  if (run.state === 'FAILED')
    return (
      <p class="notice notice-error" lang="en">
        {run.error}
      </p>
    );
  const rankings = run.report?.rankings ?? [];
  const metrics = [...(rankings[0]?.metrics ?? [])].map(({ name }) => name).sort((a, b) => placeOf(a) - placeOf(b));
  const valueIn = (other: RunFields | null, name: string, metric: Metric): number | null =>
    other?.report?.rankings.find((one) => one.name === name)?.metrics.find((one) => one.name === metric)?.value ?? null;
  return (
    <DataTable
      label={t('report.title')}
      class="rankings"
      rows={rankings}
      keyOf={({ name }) => name}
      classOf={({ type }) => (type === 'SEARCH' ? 'whole' : undefined)}
      columns={[
        { name: t('evaluations.ranking'), head: (ranking) => rankingName(wording, ranking) },
        ...metrics.map((metric) => ({
          name: wording.named('metric', metric),
          number: ({ name, metrics: estimates }: Ranking) => (
            <Estimate estimate={estimates.find((one) => one.name === metric)} before={valueIn(against, name, metric)} />
          ),
        })),
        {
          name: t('metrics.ms', { percentile: 'p95' }),
          number: ({ p95Ms }) => (p95Ms === null ? '–' : number(p95Ms, 1)),
        },
      ]}
    />
  );
}

/** With its interval, and by how much it changed. */
function Estimate({ estimate, before }: { estimate: Ranking['metrics'][number] | undefined; before: number | null }) {
  const { t, number } = useWording();
  if (estimate === undefined) return null;
  const { value, low, high } = estimate;
  return (
    <span title={t('evaluations.interval', { low: number(low, 3), high: number(high, 3) })}>
      {number(value, 3)}
      {before !== null && <Change by={value - before} />}
      {high <= 1 && <Bar from={low} to={high} />}
    </span>
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
