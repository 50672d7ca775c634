import { Float, ID, Int } from 'type-graphql';
import { METRICS, type Metric } from '../../src/evaluation/metrics.js';
import type * as measured from '../../src/evaluation/reports/report.js';
import type * as statistics from '../../src/evaluation/statistics.js';
import { ProfileSettings } from '../search/profile.type.js';
import { outputType } from '../types.js';
import { MetricEnum } from './evaluation.enums.js';
import { RankingSummary } from './evaluation-ranking.type.js';

const PairedDifference = outputType<statistics.PairedDifference>(
  'PairedDifference',
  'The mean difference of two lists of values, case by case, with its 95 % confidence interval.',
  {
    value: { type: Float, description: 'The mean difference.' },
    low: { type: Float, description: 'The lower end of the interval.' },
    high: { type: Float, description: 'The upper end of the interval.' },
    p: { type: Float, description: 'The two-sided p-value of the randomization test.' },
    higher: { type: Int, description: 'In how many cases the second value is higher.' },
    lower: { type: Int, description: 'In how many cases it is lower.' },
    same: { type: Int, description: 'In how many cases it is the same.' },
    supported: {
      type: Boolean,
      description: 'Whether the difference is significant: the interval excludes 0, and six cases or more differ.',
    },
  },
);

const Resampling = outputType<statistics.Resampling>(
  'Resampling',
  'How the intervals and p-values of a report were computed.',
  {
    resamples: {
      type: Int,
      description: 'How many bootstrap samples of the cases, and random sign flips, were drawn.',
    },
    seed: { type: Int, description: 'The seed of the random numbers: the same cases give the same intervals.' },
  },
);

interface NamedDifference {
  readonly name: Metric;
  readonly difference: statistics.PairedDifference;
}

const MetricDifference = outputType<NamedDifference>('MetricDifference', 'A difference in one metric.', {
  name: { type: MetricEnum, description: 'The metric.' },
  difference: { type: PairedDifference, description: 'The difference.' },
});

const RankingContest = outputType<measured.Contest>('RankingContest', 'The search against one other ranking.', {
  ranking: { type: String, description: 'The ranking.' },
  rival: { type: String, description: 'The ranking that it is compared with.' },
  differences: {
    type: [MetricDifference],
    description: 'Ranking minus rival, in nDCG@10 and MRR.',
    of: ({ differences }) => differencesOf(differences),
  },
});

const ShownCard = outputType<measured.ShownCard>('ShownCard', 'A card that a report shows.', {
  cardId: { type: ID, description: 'The card.' },
  grade: { type: Int, description: 'Its grade in the case.' },
  text: { type: String, description: 'Its question; empty if the card is gone.' },
});

const ChangedCase = outputType<measured.ChangedCase>('ChangedCase', 'A case whose hits differ between two profiles.', {
  id: { type: ID, description: 'The id of the case.' },
  text: { type: String, description: 'The query, or the question of the query card.' },
  before: { type: Float, description: 'The nDCG@10 by the first profile.' },
  after: { type: Float, description: 'The nDCG@10 by the second profile.' },
  hitsBefore: { type: [ShownCard], description: 'The first hits by the first profile.' },
  hitsAfter: { type: [ShownCard], description: 'The first hits by the second profile.' },
});

const ProfileComparison = outputType<measured.ProfileComparison, 'changes'>(
  'ProfileComparison',
  'One profile against another.',
  {
    before: { type: String, description: 'The first profile.' },
    after: { type: String, description: 'The second profile.' },
    differences: {
      type: [MetricDifference],
      description: 'Second minus first, in each metric.',
      of: ({ differences }) => differencesOf(differences),
    },
    changed: {
      type: [ChangedCase],
      description: 'The cases with the largest losses and gains; `caseReports` has the values of all cases.',
    },
  },
);

const TuningReport = outputType<measured.TuningReport>(
  'TuningReport',
  'How a profile was tuned; the report is of the test split.',
  {
    profile: { type: String, description: 'The name of the tuned profile.' },
    settings: { type: ProfileSettings, description: 'Its settings.' },
    trainingCases: { type: Int, description: 'Measured cases of the training split.' },
    skippedCases: { type: Int, description: 'Cases of the training split that could not be measured.' },
    tried: { type: Int, description: 'How many settings were tried.' },
    crossValidated: {
      type: PairedDifference,
      description: 'The cross-validated gain over the settings at the start, in the mean of nDCG@10 and MRR.',
    },
    accepted: {
      type: Boolean,
      description: 'Whether the gain on the test split is significant; only then is the profile saved.',
    },
  },
);

export const EvaluationReport = outputType<measured.ReportHead, 'format' | 'set' | 'profile' | 'k' | 'finishedAt'>(
  'EvaluationReport',
  'What an evaluation measured.',
  {
    cases: { type: Int, description: 'How many cases were measured.' },
    skippedCases: {
      type: Int,
      description:
        'Cases that could not be measured: no relevant card, or not the card of the query, is in the notebook, or the query has nothing to search for.',
    },
    missingCards: { type: Int, description: 'Judged cards that are not in the notebook; they are ignored.' },
    degradedCases: { type: Int, description: 'Cases with a degraded search, whose values underestimate search.' },
    cards: { type: Int, description: 'How many cards were searched.' },
    embeddingModel: { type: String, description: 'The model that made the vectors.' },
    tookMs: { type: Float, description: 'How long it took, in milliseconds.' },
    resampling: { type: Resampling, description: 'How the intervals and p-values were computed.' },
    rankings: {
      type: [RankingSummary],
      description:
        'The search first, then the search by the profile that it is compared with, then its lanes, then plain BM25.',
    },
    silentLanes: { type: [String], description: 'Lanes without any hit; they are not among the rankings.' },
    contests: {
      type: [RankingContest],
      description: 'The search against plain BM25, and against the best of its lanes.',
    },
    comparison: {
      type: ProfileComparison,
      nullable: true,
      description: 'The comparison of two profiles; null if only one profile was measured.',
    },
    tuning: { type: TuningReport, nullable: true, description: 'How the profile was tuned; null where it was not.' },
  },
);

function differencesOf(
  differences: Readonly<Partial<Record<Metric, statistics.PairedDifference>>>,
): readonly NamedDifference[] {
  return METRICS.flatMap((name) => {
    const difference = differences[name];
    return difference === undefined ? [] : [{ name, difference }];
  });
}
