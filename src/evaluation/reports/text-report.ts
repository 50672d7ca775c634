import { METRICS } from '../metrics.js';
import type { EvaluationReport, ProfileComparison } from './report.js';
import {
  comparisonText,
  contestText,
  decimal,
  differenceText,
  headline,
  interval,
  METRIC_NAMES,
  RANKING_COLUMNS,
  rankingCells,
  rivalsIn,
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
    ...(tuning === null ? [] : [tuningText(tuning, comparison), settingsText(tuning.settings)]),
    table([
      ['ranking', ...RANKING_COLUMNS],
      ...rankings.map((one) => [one.kind === 'lane' ? `  ${one.name}` : one.name, ...rankingCells(one, interval)]),
    ]),
    ...(silentLanes.length === 0 ? [] : [`Without any hit: ${silentLanes.join(', ')}.`]),
    contests.map(contestText).join('\n'),
    sliceTable(report),
    ...(comparison === null ? [] : [comparisonSection(comparison)]),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** By slice: the search, the best lane of the slice, and plain BM25. */
function sliceTable({ rankings }: EvaluationReport): string {
  const [search] = rankings;
  if (search === undefined) return '';
  const rows = search.slices.map(({ slice, group, cases, metrics }, place) => {
    const [lane, baseline] = rivalsIn(rankings, place);
    return [
      slice,
      group,
      String(cases),
      interval(metrics.ndcgAt10),
      interval(metrics.mrr),
      lane === undefined ? '' : `${decimal(lane.value)} ${lane.name}`,
      baseline === undefined ? '' : decimal(baseline.value),
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
