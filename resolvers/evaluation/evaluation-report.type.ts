import { Arg, Field, Float, ID, Int, ObjectType, Root } from 'type-graphql';
import type { Metric } from '../../src/evaluation/metrics.js';
import type * as measured from '../../src/evaluation/reports/report.js';
import type * as statistics from '../../src/evaluation/statistics.js';
import { addOutputFields } from '../output-fields.js';
import { ProfileSettings } from '../search/profile.type.js';
import { MetricEnum } from './evaluation.enums.js';
import { RankingSummary, SliceSummary } from './evaluation-ranking.type.js';

@ObjectType({
  description: 'The mean difference of two lists of values, case by case, with its 95 % confidence interval.',
  simpleResolvers: true,
})
export class PairedDifference {}

addOutputFields<statistics.PairedDifference>(PairedDifference, {
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
});

@ObjectType({ description: 'How the intervals and p-values of a report were computed.', simpleResolvers: true })
export class Resampling {}

addOutputFields<statistics.Resampling>(Resampling, {
  resamples: { type: Int, description: 'How many bootstrap samples of the cases, and random sign flips, were drawn.' },
  seed: { type: Int, description: 'The seed of the random numbers: the same cases give the same intervals.' },
});

@ObjectType({ description: 'A difference in one metric.', simpleResolvers: true })
export class MetricDifference {
  @Field(() => MetricEnum, { description: 'The metric.' })
  name!: Metric;

  @Field(() => PairedDifference, { description: 'The difference.' })
  difference!: statistics.PairedDifference;
}

@ObjectType({ description: 'The search against one other ranking.', simpleResolvers: true })
export class RankingContest {
  @Field(() => String, { description: 'The ranking.' })
  ranking!: string;

  @Field(() => String, { description: 'The ranking that it is compared with.' })
  rival!: string;

  @Field(() => [MetricDifference], { description: 'Ranking minus rival, in nDCG@10 and MRR.' })
  differences!: readonly MetricDifference[];
}

@ObjectType({ description: 'A card that a report shows.', simpleResolvers: true })
export class ShownCard {}

addOutputFields<measured.ShownCard>(ShownCard, {
  cardId: { type: ID, description: 'The card.' },
  grade: { type: Int, description: 'Its grade in the case.' },
  text: { type: String, description: 'Its question; empty if the card is gone.' },
});

@ObjectType({ description: 'A case whose hits differ between two profiles.', simpleResolvers: true })
export class ChangedCase {}

addOutputFields<measured.ChangedCase>(ChangedCase, {
  id: { type: ID, description: 'The id of the case.' },
  text: { type: String, description: 'The query, or the question of the query card.' },
  before: { type: Float, description: 'The nDCG@10 by the first profile.' },
  after: { type: Float, description: 'The nDCG@10 by the second profile.' },
  hitsBefore: { type: [ShownCard], description: 'The first hits by the first profile.' },
  hitsAfter: { type: [ShownCard], description: 'The first hits by the second profile.' },
});

@ObjectType({ description: 'One profile against another.', simpleResolvers: true })
export class ProfileComparison {
  @Field(() => String, { description: 'The first profile.' })
  before!: string;

  @Field(() => String, { description: 'The second profile.' })
  after!: string;

  @Field(() => [MetricDifference], { description: 'Second minus first, in each metric.' })
  differences!: readonly MetricDifference[];

  @Field(() => [ChangedCase], {
    description: 'The cases with the largest losses and gains; `caseReports` has the values of all cases.',
  })
  changed!: readonly measured.ChangedCase[];
}

@ObjectType({ description: 'How a profile was tuned; the report is of the test split.', simpleResolvers: true })
export class TuningReport {}

addOutputFields<measured.TuningReport>(TuningReport, {
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
});

@ObjectType({ description: 'What an evaluation measured.', simpleResolvers: true })
export class EvaluationReport {
  @Field(() => Int, { description: 'How many cases were measured.' })
  cases!: number;

  @Field(() => Int, {
    description:
      'Cases that could not be measured: no relevant card, or not the card of the query, is in the notebook, or the query has nothing to search for.',
  })
  skippedCases!: number;

  @Field(() => Int, { description: 'Judged cards that are not in the notebook; they are ignored.' })
  missingCards!: number;

  @Field(() => Int, { description: 'Cases with a degraded search, whose values underestimate search.' })
  degradedCases!: number;

  @Field(() => Int, { description: 'How many cards were searched.' })
  cards!: number;

  @Field(() => String, { description: 'The model that made the vectors.' })
  embeddingModel!: string;

  @Field(() => Float, { description: 'How long it took, in milliseconds.' })
  tookMs!: number;

  @Field(() => Resampling, { description: 'How the intervals and p-values were computed.' })
  resampling!: statistics.Resampling;

  @Field(() => [RankingSummary], {
    description:
      'The search first, then the search by the profile that it is compared with, then its lanes, then plain BM25.',
  })
  rankings!: readonly RankingSummary[];

  @Field(() => [SliceSummary], {
    description: 'How one ranking did in groups of cases; none for an unknown ranking.',
    deprecationReason: 'Use `slices` of `rankings`. Deprecated on 2026-11-23.',
    simple: false,
  })
  slices(
    @Root() { rankings }: EvaluationReport,
    @Arg('ranking', () => String, {
      nullable: true,
      defaultValue: 'search',
      description: 'The name of the ranking.',
    })
    ranking: string | null,
  ): readonly SliceSummary[] {
    return rankings.find(({ name }) => name === ranking)?.slices ?? [];
  }

  @Field(() => [String], { description: 'Lanes without any hit; they are not among the rankings.' })
  silentLanes!: readonly string[];

  @Field(() => [RankingContest], { description: 'The search against plain BM25, and against the best of its lanes.' })
  contests!: readonly RankingContest[];

  @Field(() => ProfileComparison, {
    nullable: true,
    description: 'The comparison of two profiles; null if only one profile was measured.',
  })
  comparison!: ProfileComparison | null;

  @Field(() => TuningReport, { nullable: true, description: 'How the profile was tuned; null where it was not.' })
  tuning!: measured.TuningReport | null;
}
