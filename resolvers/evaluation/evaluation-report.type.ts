import { Float, ID, Int } from 'type-graphql';
import type { FilteredCase as Filtered } from '../../src/evaluation/measure-case.js';
import { METRICS, type Metric } from '../../src/evaluation/metrics.js';
import type * as measured from '../../src/evaluation/reports/report.js';
import type { RankingReport, SliceReport } from '../../src/evaluation/reports/report.js';
import type * as statistics from '../../src/evaluation/statistics.js';
import type { Estimate } from '../../src/evaluation/statistics.js';
import { ProfileSettings } from '../search/profile.type.js';
import { computed, deprecated, field, nullable, outputType } from '../types.js';
import { MetricEnum, RankingKindEnum, SliceEnum } from './evaluation.enums.js';

type NamedEstimate = Estimate & { readonly name: Metric };

const MetricEstimate = outputType<NamedEstimate>(
  'MetricEstimate',
  'A metric with its 95 % confidence interval.',
  {
    name: field(MetricEnum, 'The metric.'),
    value: field(Float, 'The mean over the cases.'),
    low: field(Float, 'The lower end of the interval.'),
    high: field(Float, 'The upper end of the interval.'),
  },
  {
    metric: computed(String, 'The metric, such as ndcgAt10 or mrr.', ({ name }) => name, deprecated('`name`')),
  },
);

export const SliceSummary = outputType<SliceReport>('SliceSummary', 'How a ranking did in one group of cases.', {
  slice: field(SliceEnum, 'What the cases are grouped by.'),
  group: field(String, 'The group, such as "G5" or "zh".'),
  cases: field(Int, 'How many cases it has.'),
  metrics: computed([MetricEstimate], 'Its nDCG@10 and MRR.', ({ metrics }) => estimatesOf(metrics)),
});

export const RankingSummary = outputType<RankingReport, 'latencyMs'>(
  'RankingSummary',
  'The metrics of one ranking.',
  {
    name: field(String, 'The ranking: "search", a lane alone such as "dense question", or "plain BM25".'),
    kind: field(String, 'The kind of ranking: "search", "lane" or "baseline".', deprecated('`type`')),
    metrics: computed([MetricEstimate], 'All metrics.', ({ metrics }) => estimatesOf(metrics)),
    slices: field(
      [SliceSummary],
      'How the ranking did by search operation, perspective, grade, subject and language. All rankings of a report have the same groups, in the same order.',
    ),
  },
  {
    type: computed(RankingKindEnum, 'What made the ranking.', ({ kind }) => kind),
    p50Ms: computed(
      Float,
      'The median time of a search, in milliseconds; null for a lane.',
      ({ latencyMs }) => latencyMs?.p50,
      { nullable: true },
    ),
    p95Ms: computed(Float, 'The 95th percentile of the latency, in milliseconds.', ({ latencyMs }) => latencyMs?.p95, {
      nullable: true,
    }),
  },
);

function estimatesOf(metrics: Readonly<Partial<Record<Metric, Estimate>>>): readonly NamedEstimate[] {
  return METRICS.flatMap((name) => (metrics[name] === undefined ? [] : { name, ...metrics[name] }));
}

const PairedDifference = outputType<statistics.PairedDifference>(
  'PairedDifference',
  'The mean difference of two lists of values, case by case, with its 95 % confidence interval.',
  {
    value: field(Float, 'The mean difference.'),
    low: field(Float, 'The lower end of the interval.'),
    high: field(Float, 'The upper end of the interval.'),
    p: field(Float, 'The two-sided p-value of the randomization test.'),
    higher: field(Int, 'In how many cases the second value is higher.'),
    lower: field(Int, 'In how many cases it is lower.'),
    same: field(Int, 'In how many cases it is the same.'),
    supported: field(
      Boolean,
      'Whether the difference is significant: the interval excludes 0, and six cases or more differ.',
    ),
  },
);

const Resampling = outputType<statistics.Resampling>(
  'Resampling',
  'How the intervals and p-values of a report were computed.',
  {
    resamples: field(Int, 'How many bootstrap samples of the cases, and random sign flips, were drawn.'),
    seed: field(Int, 'The seed of the random numbers: the same cases give the same intervals.'),
  },
);

interface NamedDifference {
  readonly name: Metric;
  readonly difference: statistics.PairedDifference;
}

const MetricDifference = outputType<NamedDifference>('MetricDifference', 'A difference in one metric.', {
  name: field(MetricEnum, 'The metric.'),
  difference: field(PairedDifference, 'The difference.'),
});

const RankingContest = outputType<measured.Contest>('RankingContest', 'The search against one other ranking.', {
  ranking: field(String, 'The ranking.'),
  rival: field(String, 'The ranking that it is compared with.'),
  differences: computed([MetricDifference], 'Ranking minus rival, in nDCG@10 and MRR.', ({ differences }) =>
    differencesOf(differences),
  ),
});

const ShownCard = outputType<measured.ShownCard>('ShownCard', 'A card that a report shows.', {
  cardId: field(ID, 'The card.'),
  grade: field(Int, 'Its grade in the case.'),
  text: field(String, 'Its question; empty if the card is gone.'),
});

const ChangedCase = outputType<measured.ChangedCase>('ChangedCase', 'A case whose hits differ between two profiles.', {
  id: field(ID, 'The id of the case.'),
  text: field(String, 'The query, or the question of the query card.'),
  before: field(Float, 'The nDCG@10 by the first profile.'),
  after: field(Float, 'The nDCG@10 by the second profile.'),
  hitsBefore: field([ShownCard], 'The first hits by the first profile.'),
  hitsAfter: field([ShownCard], 'The first hits by the second profile.'),
});

const ProfileComparison = outputType<measured.ProfileComparison, 'changes'>(
  'ProfileComparison',
  'One profile against another.',
  {
    before: field(String, 'The first profile.'),
    after: field(String, 'The second profile.'),
    differences: computed([MetricDifference], 'Second minus first, in each metric.', ({ differences }) =>
      differencesOf(differences),
    ),
    changed: field(
      [ChangedCase],
      'The cases with the largest losses and gains; `caseReports` has the values of all cases.',
    ),
  },
);

const TuningReport = outputType<measured.TuningReport>(
  'TuningReport',
  'How a profile was tuned; the report is of the test split.',
  {
    profile: field(String, 'The name of the tuned profile.'),
    settings: field(ProfileSettings, 'Its settings.'),
    trainingCases: field(Int, 'Measured cases of the training split.'),
    skippedCases: field(Int, 'Cases of the training split that could not be measured.'),
    tried: field(Int, 'How many settings were tried.'),
    crossValidated: field(
      PairedDifference,
      'The cross-validated gain over the settings at the start, in the mean of nDCG@10 and MRR.',
    ),
    accepted: field(Boolean, 'Whether the gain on the test split is significant; only then is the profile saved.'),
  },
);

const FilteredCase = outputType<Filtered>('FilteredCase', 'A case whose filter leaves out every relevant card.', {
  id: field(ID, 'The id of the case in its golden set.'),
  text: field(String, 'The query, or the question of the query card.'),
});

export const EvaluationReport = outputType<
  measured.ReportHead,
  'format' | 'set' | 'profile' | 'k' | 'finishedAt' | 'filteredCases'
>(
  'EvaluationReport',
  'What an evaluation measured.',
  {
    cases: field(Int, 'How many cases were measured.'),
    skippedCases: field(
      Int,
      'Cases that could not be measured: no relevant card, or not the card of the query, is in the notebook, the filter leaves out every relevant card, or the query has nothing to search for.',
    ),
    missingCards: field(Int, 'Relevant cards of the measured cases that are not in the notebook; they are ignored.'),
    degradedCases: field(Int, 'Cases with a degraded search, whose values underestimate search.'),
    cards: field(Int, 'How many cards were searched.'),
    embeddingModel: field(String, 'The model that made the vectors.'),
    tookMs: field(Float, 'How long it took, in milliseconds.'),
    resampling: field(Resampling, 'How the intervals and p-values were computed.'),
    rankings: field(
      [RankingSummary],
      'The search first, then the search by the profile that it is compared with, then its lanes, then plain BM25.',
    ),
    silentLanes: field([String], 'Lanes without any hit; they are not among the rankings.'),
    contests: field([RankingContest], 'The search against plain BM25, and against the best of its lanes.'),
    comparison: nullable(ProfileComparison, 'The comparison of two profiles; null if only one profile was measured.'),
    tuning: nullable(TuningReport, 'How the profile was tuned; null if it was not.'),
  },
  {
    filteredCases: computed(
      [FilteredCase],
      'The skipped cases whose filter leaves out every relevant card: correct the filter or the judgements.',
      ({ filteredCases = [] }) => filteredCases,
    ),
  },
);

function differencesOf(
  differences: Readonly<Partial<Record<Metric, statistics.PairedDifference>>>,
): readonly NamedDifference[] {
  return METRICS.flatMap((name) => (differences[name] === undefined ? [] : { name, difference: differences[name] }));
}
