import { MAIN_METRICS, type MainMetric, METRICS } from '../metrics.js';
import { SLICES } from '../slices.js';
import type { Estimate } from '../statistics.js';
import { escaped, page } from './page.js';
import { changePlot, estimateMark, histogram, intervalPlot, type PlotMark, type PlotRow } from './plots.js';
import type { EvaluationReport, ProfileComparison, RankingReport, ShownCard } from './report.js';
import {
  comparisonText,
  contestText,
  decimal,
  differenceText,
  headline,
  METRIC_NAMES,
  RANKING_COLUMNS,
  rankingCells,
  rivalsIn,
  settingsText,
  shortened,
  signed,
  tuningText,
} from './report-wording.js';

/** Cases with the lowest nDCG@10 that are listed. */
const WORST = 15;

export function htmlReport(report: EvaluationReport): string {
  const { set, contests, comparison, tuning, caseReports, silentLanes, finishedAt } = report;
  const sections = [
    `<h1>${escaped(set)}</h1><p>${escaped(headline(report))}</p>`,
    ...(tuning === null
      ? []
      : [
          `<p><strong>${escaped(tuningText(tuning, comparison))}</strong> ${escaped(settingsText(tuning.settings))}</p>`,
        ]),
    `<ul class="contests">${contests.map((contest) => `<li>${escaped(contestText(contest))}</li>`).join('')}</ul>`,
    '<h2>Every ranking</h2>',
    ...MAIN_METRICS.map((metric) => rankingPlot(report, metric)),
    rankingTable(report),
    ...(silentLanes.length === 0 ? [] : [`<p>Without any hit: ${escaped(silentLanes.join(', '))}.</p>`]),
    ...(comparison === null ? [] : [comparisonSection(comparison)]),
    '<h2>By kind of case</h2>',
    '<p>A filled circle is the search with its interval, an open one the best of its lanes there, a square plain BM25.</p>',
    ...SLICES.map((slice) => slicePlot(report, slice)),
    '<h2>Cases</h2>',
    histogram(
      'nDCG@10 of the search, number of cases',
      caseReports.map(({ values }) => values[0]?.ndcgAt10 ?? 0),
    ),
    worstTable(report),
    `<footer>Errata, ${escaped(finishedAt)}</footer>`,
  ];
  return page(set, sections.join('\n'));
}

function rankingPlot({ rankings }: EvaluationReport, metric: MainMetric): string {
  const rows = rankings.map(
    ({ name, kind, metrics }): PlotRow => ({
      label: name,
      note: '',
      marks: [estimateMark(kind, name, metrics[metric])],
    }),
  );
  return intervalPlot(METRIC_NAMES[metric], rows);
}

function rankingTable({ rankings }: EvaluationReport): string {
  const nameOf = ({ kind, name }: RankingReport): string => `<span class="${kind}">${escaped(name)}</span>`;
  const rows = rankings.map((one) => [nameOf(one), ...rankingCells(one, estimate)]);
  return table(['', ...RANKING_COLUMNS], rows);
}

function slicePlot({ rankings }: EvaluationReport, slice: (typeof SLICES)[number]): string {
  const [search] = rankings;
  const rows = (search?.slices ?? []).flatMap((inside, place): PlotRow[] => {
    if (inside.slice !== slice) return [];
    const marks = rivalsIn(rankings, place).flatMap((one): PlotMark[] =>
      one === undefined ? [] : [{ ...one, title: `${one.name} ${decimal(one.value)}`, ends: null }],
    );
    const own = estimateMark('search', 'search', inside.metrics.ndcgAt10);
    return [{ label: inside.group, note: `${inside.cases}`, marks: [own, ...marks] }];
  });
  return intervalPlot(`nDCG@10 by ${slice}, with the number of cases`, rows);
}

function comparisonSection(comparison: ProfileComparison): string {
  const { before, after, differences, changes, changed } = comparison;
  const rows = METRICS.map((metric) => [escaped(METRIC_NAMES[metric]), escaped(differenceText(differences[metric]))]);
  const cases = changed.map(
    ({ id, text, before: was, after: is, hitsBefore, hitsAfter }) =>
      `<article><h3><span class="${is > was ? 'gain' : 'loss'}">${signed(is - was)}</span> ${escaped(id)}</h3>
<p>${escaped(shortened(text, 300))}</p><div class="lists">${hitList(`${before}: ${decimal(was)}`, hitsBefore)}${hitList(`${after}: ${decimal(is)}`, hitsAfter)}</div></article>`,
  );
  return `<h2>${escaped(after)}, compared with ${escaped(before)}</h2>
<p><strong>${escaped(comparisonText(comparison))}</strong></p>${table(['', 'difference'], rows)}
${changePlot('nDCG@10 of each case, after less before', changes)}
<h3>The cases that changed most</h3>${cases.join('\n')}`;
}

function hitList(title: string, hits: readonly ShownCard[]): string {
  const items = hits.map(
    ({ cardId, grade, text }) =>
      `<li class="${grade > 0 ? 'relevant' : ''}"><b>${escaped(cardId)}</b>${grade > 0 ? ` (${grade})` : ''} ${escaped(shortened(text, 120))}</li>`,
  );
  return `<div><h4>${escaped(title)}</h4><ol>${items.join('')}</ol></div>`;
}

function worstTable({ caseReports, rankings }: EvaluationReport): string {
  const worst = [...caseReports]
    .sort((a, b) => (a.values[0]?.ndcgAt10 ?? 0) - (b.values[0]?.ndcgAt10 ?? 0))
    .slice(0, WORST);
  const rows = worst.map(({ id, text, values }) => {
    const best = Math.max(...values.map(({ ndcgAt10 }) => ndcgAt10));
    const ranking = rankings[values.findIndex(({ ndcgAt10 }) => ndcgAt10 === best)];
    return [
      escaped(id),
      `<span class="text">${escaped(shortened(text, 160))}</span>`,
      decimal(values[0]?.ndcgAt10 ?? 0),
      best === 0 ? 'none finds any' : escaped(`${decimal(best)} ${ranking?.name ?? ''}`),
    ];
  });
  return table(['lowest', 'query', 'nDCG@10', 'best ranking there'], rows);
}

/** The interval is below the value: side by side, the table was wider than the page. */
function estimate({ value, low, high }: Estimate): string {
  return `${decimal(value)}<br><small>[${decimal(low)}, ${decimal(high)}]</small>`;
}

/**
 * Cells are HTML, the first of a row is its heading. Each cell names its column, for screens too narrow for columns.
 */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const header = head.map((name) => `<th scope="col">${escaped(name)}</th>`).join('');
  const body = rows.map(([heading, ...cells]) => {
    const named = cells.map((cell, place) => `<td data-column="${escaped(head[place + 1] ?? '')}">${cell}</td>`);
    return `<tr><th scope="row">${heading}</th>${named.join('')}</tr>`;
  });
  return `<table><thead><tr>${header}</tr></thead><tbody>${body.join('')}</tbody></table>`;
}
