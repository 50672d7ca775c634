import { MAIN_METRICS, METRICS } from '../metrics.js';
import type { EvaluationReport, ProfileComparison, RankingReport } from './report.js';
import {
  comparisonText,
  contestText,
  decimal,
  differenceText,
  headline,
  interval,
  METRIC_NAMES,
  settingsText,
  shortened,
  signed,
  tuningText,
} from './report-wording.js';

/** The report as a table for a terminal. */
export function textReport(report: EvaluationReport): string {
  const { rankings, silentLanes, contests, comparison, tuning } = report;
  const sections = [
    headline(report),
    ...(tuning === null ? [] : [tuningText(tuning), settingsText(tuning.settings)]),
    table([HEADER, ...rankings.map(rankingRow)]),
    ...(silentLanes.length === 0 ? [] : [`Without any hit: ${silentLanes.join(', ')}.`]),
    contests.map(contestText).join('\n'),
    sliceTable(report),
    ...(comparison === null ? [] : [comparisonSection(comparison)]),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** Metrics shown without an interval. */
const PLAIN = METRICS.filter((metric) => !MAIN_METRICS.some((main) => main === metric));

const HEADER = [
  'ranking',
  ...MAIN_METRICS.map((metric) => METRIC_NAMES[metric]),
  ...PLAIN.map((metric) => METRIC_NAMES[metric]),
  'p50 ms',
  'p95 ms',
];

function rankingRow({ name, kind, metrics, latencyMs }: RankingReport): readonly string[] {
  return [
    kind === 'lane' ? `  ${name}` : name,
    ...MAIN_METRICS.map((metric) => interval(metrics[metric])),
    ...PLAIN.map((metric) => decimal(metrics[metric].value)),
    latencyMs === null ? '' : latencyMs.p50.toFixed(1),
    latencyMs === null ? '' : latencyMs.p95.toFixed(1),
  ];
}

/** By slice: the search, the best lane of the slice, and plain BM25. */
function sliceTable({ rankings }: EvaluationReport): string {
  const [search] = rankings;
  if (search === undefined) return '';
  const valueIn = (ranking: RankingReport, place: number): number => ranking.slices[place]?.metrics.ndcgAt10.value ?? 0;
  const rows = search.slices.map(({ slice, group, cases, metrics }, place) => {
    const lanes = rankings.filter(({ kind }) => kind === 'lane');
    const [best] = [...lanes].sort((a, b) => valueIn(b, place) - valueIn(a, place));
    const baseline = rankings.find(({ kind }) => kind === 'baseline');
    return [
      slice,
      group,
      String(cases),
      interval(metrics.ndcgAt10),
      interval(metrics.mrr),
      best === undefined ? '' : `${decimal(valueIn(best, place))} ${best.name}`,
      baseline === undefined ? '' : decimal(valueIn(baseline, place)),
    ];
  });
  const header = ['by', '', 'cases', 'search nDCG@10', 'search MRR', 'its best lane', 'plain BM25'];
  return table([header, ...rows]);
}

function comparisonSection(comparison: ProfileComparison): string {
  const { before, after, differences, changed } = comparison;
  const rows = METRICS.map((metric) => [METRIC_NAMES[metric], differenceText(differences[metric])]);
  const cases = changed.map(({ id, text, before: was, after: is, hitsBefore, hitsAfter }) => {
    const list = (hits: typeof hitsBefore): string =>
      hits.map(({ cardId, grade }) => (grade > 0 ? `[${cardId}]` : cardId)).join(' ');
    return [
      `${signed(is - was)}  ${id}  ${shortened(text, 80)}`,
      `    before ${decimal(was)}: ${list(hitsBefore)}`,
      `    after  ${decimal(is)}: ${list(hitsAfter)}`,
    ].join('\n');
  });
  const most =
    cases.length === 0 ? 'No case changed.' : `Changed most; relevant cards in brackets:\n${cases.join('\n')}`;
  return [`${after}, compared with ${before}: ${comparisonText(comparison)}`, table(rows), most].join('\n\n');
}

/** Columns as wide as their widest entry; Chinese characters count as two. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => width(row[column] ?? ''))));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] as number) - width(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function width(text: string): number {
  return [...text].reduce((sum, character) => sum + (/[\u1100-\u115f\u2e80-\uffdc]/u.test(character) ? 2 : 1), 0);
}
