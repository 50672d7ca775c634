import { PERSPECTIVES } from '../../domain/perspective.js';
import type { ProfileSettings } from '../../domain/search.js';
import { MAIN_METRICS, METRICS, type Metric } from '../metrics.js';
import type { Estimate, PairedDifference } from '../statistics.js';
import type { Contest, EvaluationReport, ProfileComparison, RankingReport, TuningReport } from './report.js';

/** Display names of the metrics; `@k` stands for the number of requested hits. */
export const METRIC_NAMES: Readonly<Record<Metric, string>> = {
  ndcgAt10: 'nDCG@10',
  mrr: 'MRR',
  recallAt5: 'Recall@5',
  recallAt10: 'Recall@10',
  recallAtK: 'Recall@k',
  precisionAt10: 'P@10',
  zeroResultRate: 'zero results',
  duplicateRate: 'duplicates',
  topics: 'topics',
};

/** Three decimals: the fourth is noise on a thousand cases. */
export function decimal(value: number): string {
  return value.toFixed(3);
}

/** A change with its sign: `+0.012`, `-0.003`, `0.000`. */
export function signed(value: number): string {
  const text = value.toFixed(3);
  return value > 0 && text !== '0.000' ? `+${text}` : text === '-0.000' ? '0.000' : text;
}

/** `0.512 [0.470, 0.551]` */
export function interval({ value, low, high }: Estimate): string {
  return `${decimal(value)} [${decimal(low)}, ${decimal(high)}]`;
}

/** Columns of the table of rankings behind their names. */
export const RANKING_COLUMNS = [...METRICS.map((metric) => METRIC_NAMES[metric]), 'p50 ms', 'p95 ms'];

/** The cells of a ranking below {@link RANKING_COLUMNS}; `estimated` writes the main metrics. */
export function rankingCells({ metrics, latencyMs }: RankingReport, estimated: (one: Estimate) => string): string[] {
  const main: readonly string[] = MAIN_METRICS;
  const cells = METRICS.map((metric) =>
    main.includes(metric) ? estimated(metrics[metric]) : decimal(metrics[metric].value),
  );
  return [...cells, latencyMs?.p50.toFixed(1) ?? '', latencyMs?.p95.toFixed(1) ?? ''];
}

/** What the search is compared with in the slice at a place: its best lane and plain BM25, with their nDCG@10. */
export function rivalsIn(rankings: readonly RankingReport[], place: number) {
  const best = (kind: 'lane' | 'baseline') =>
    rankings
      .filter((one) => one.kind === kind)
      .map(({ name, slices }) => ({ name, kind, value: slices[place]?.metrics.ndcgAt10.value ?? 0 }))
      .sort((a, b) => b.value - a.value)[0];
  return [best('lane'), best('baseline')] as const;
}

/** `+0.012 [-0.004, +0.030], p 0.142; 31 higher, 20 lower, 5 the same` */
export function differenceText({ value, low, high, p, higher, lower, same }: PairedDifference): string {
  const range = `${signed(value)} [${signed(low)}, ${signed(high)}]`;
  return `${range}, p ${p.toFixed(3)}; ${higher} higher, ${lower} lower, ${same} the same`;
}

/** `undecided` if the difference is not significant. */
export function outcomeOf({ supported, value }: PairedDifference): 'better' | 'worse' | 'undecided' {
  if (!supported) return 'undecided';
  return value > 0 ? 'better' : 'worse';
}

export function contestText({ ranking, rival, differences: { ndcgAt10, mrr } }: Contest): string {
  const verb = { better: 'beats', worse: 'LOSES TO', undecided: 'is not proved to differ from' }[outcomeOf(ndcgAt10)];
  return `${ranking} ${verb} ${rival}: nDCG@10 ${differenceText(ndcgAt10)}; MRR ${differenceText(mrr)}`;
}

/** Conclusion that the comparison of two profiles supports. */
export function comparisonText({ before, after, differences }: Omit<ProfileComparison, 'changes'>): string {
  const outcome = outcomeOf(differences.ndcgAt10);
  if (outcome === 'undecided') return `No difference between ${before} and ${after} is supported by nDCG@10.`;
  return `${after} is ${outcome} than ${before} by nDCG@10.`;
}

/** `comparison` is that of the test split. */
export function tuningText(tuning: TuningReport, comparison: Omit<ProfileComparison, 'changes'> | null): string {
  const { profile, trainingCases, skippedCases, tried, crossValidated, accepted } = tuning;
  const { value, low, high } = crossValidated;
  const skipped =
    skippedCases === 0
      ? ''
      : ` (${skippedCases} more, without a relevant card in the notebook and in their filter, or with nothing to search for, were left out)`;
  const seen = `${tried} settings were tried on ${trainingCases} cases${skipped}; by cross-validation there, the mean of nDCG@10 and MRR is ${signed(value)} [${signed(low)}, ${signed(high)}].`;
  const isBetter = comparison !== null && outcomeOf(comparison.differences.ndcgAt10) === 'better';
  const refusal = isBetter
    ? 'The gain in nDCG@10 on the test split is significant, but so is the loss in MRR'
    : 'The test split shows no significant gain';
  const verdict = accepted
    ? `The gain on the test split is significant: ${profile} is saved.`
    : `${refusal}: ${profile} is NOT saved.`;
  return `${seen} ${verdict} All figures of this report are of the test split.`;
}

/** Settings on one line: `weights question 0.6 / ..., lexicalShare 0.5, fusion WEIGHTED, ...` */
export function settingsText(settings: ProfileSettings): string {
  const { weights, thresholdSteps, lexicalShare, inferredWeight, fusion, profilePower, voteShare } = settings;
  const parts = {
    weights: PERSPECTIVES.map((perspective) => `${perspective} ${weights[perspective]}`).join(' / '),
    ...{ lexicalShare, inferredWeight, fusion, profilePower, voteShare },
    thresholdSteps: thresholdSteps?.join(' ') ?? 'of the model',
    ...{ minResults: settings.minResults, diversity: settings.diversity },
    ...(settings.expandWith === null ? {} : { expandWith: settings.expandWith }),
  };
  return Object.entries(parts)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

/** Cases that the headline names; the JSON of the report has all. */
const NAMED_CASES = 10;

export function headline(report: EvaluationReport): string {
  const { set, cases, cards, embeddingModel, profile, k, resampling, tookMs } = report;
  const { skippedCases, filteredCases = [], missingCards, degradedCases } = report;
  const otherSkipped = skippedCases - filteredCases.length;
  const parts = [
    `${set}: ${cases} cases over ${cards} cards, profile ${profile}, ${embeddingModel}, k ${k}, measured in ${(tookMs / 1_000).toFixed(1)} s;`,
    `in brackets the 95 % interval of ${resampling.resamples} bootstrap resamples.`,
  ];
  if (filteredCases.length > 0) {
    const named = filteredCases.slice(0, NAMED_CASES).map(({ id, text }) => `${id} (${shortened(text, 40)})`);
    const more = filteredCases.length > NAMED_CASES ? ', ...' : '';
    parts.push(
      `${filteredCases.length} cases were left out, because their filter leaves out all their relevant cards: ${named.join(', ')}${more}.`,
    );
  }
  if (otherSkipped > 0)
    parts.push(
      `${otherSkipped} cases were left out: none of their relevant cards is in the notebook, or their query has nothing to search for.`,
    );
  if (missingCards > 0) parts.push(`${missingCards} judged cards are not in the notebook and count for nothing.`);
  if (degradedCases > 0) parts.push(`In ${degradedCases} cases a part of the search FAILED: repeat the evaluation.`);
  return parts.join(' ');
}

/** A text on one line, at most `length` characters long. */
export function shortened(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`;
}
