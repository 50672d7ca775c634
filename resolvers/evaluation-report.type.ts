import { Arg, Field, Float, ID, Int, ObjectType, Root } from 'type-graphql';
import type { Metric } from '../src/evaluation/metrics.js';
import type { RankingReport } from '../src/evaluation/report.js';
import type { Slice } from '../src/evaluation/slices.js';
import { MetricEnum, SliceEnum } from './evaluation.enums.js';
import { estimatesOf, MetricEstimate, RankingSummary } from './evaluation.type.js';
import { ProfileSettings } from './profile.type.js';

@ObjectType({
  description: 'The mean difference of two lists of values, case by case, with its 95 % confidence interval.',
  simpleResolvers: true,
})
export class PairedDifference {
  @Field(() => Float, { description: 'The mean difference.' })
  value!: number;

  @Field(() => Float, { description: 'The lower end of the interval.' })
  low!: number;

  @Field(() => Float, { description: 'The upper end of the interval.' })
  high!: number;

  @Field(() => Float, { description: 'The two-sided p-value of the randomization test.' })
  p!: number;

  @Field(() => Int, { description: 'In how many cases the second value is higher.' })
  higher!: number;

  @Field(() => Int, { description: 'In how many cases it is lower.' })
  lower!: number;

  @Field(() => Int, { description: 'In how many cases it is the same.' })
  same!: number;

  @Field(() => Boolean, { description: 'Whether the interval excludes 0: the difference is significant.' })
  supported!: boolean;
}

@ObjectType({ description: 'A difference in one metric.', simpleResolvers: true })
export class MetricDifference {
  @Field(() => MetricEnum, { description: 'The metric.' })
  name!: Metric;

  @Field(() => PairedDifference, { description: 'The difference.' })
  difference!: PairedDifference;
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
export class ShownCard {
  @Field(() => ID, { description: 'The card.' })
  cardId!: string;

  @Field(() => Int, { description: 'Its grade in the case.' })
  grade!: number;

  @Field(() => String, { description: 'The beginning of its question.' })
  text!: string;
}

@ObjectType({ description: 'A case whose hits differ between two profiles.', simpleResolvers: true })
export class ChangedCase {
  @Field(() => ID, { description: 'The id of the case.' })
  id!: string;

  @Field(() => String, { description: 'The query, or the question of the query card.' })
  text!: string;

  @Field(() => Float, { description: 'The nDCG@10 by the first profile.' })
  before!: number;

  @Field(() => Float, { description: 'The nDCG@10 by the second profile.' })
  after!: number;

  @Field(() => [ShownCard], { description: 'The first hits by the first profile.' })
  hitsBefore!: readonly ShownCard[];

  @Field(() => [ShownCard], { description: 'The first hits by the second profile.' })
  hitsAfter!: readonly ShownCard[];
}

@ObjectType({ description: 'One profile against another.', simpleResolvers: true })
export class ProfileComparison {
  @Field(() => String, { description: 'The first profile.' })
  before!: string;

  @Field(() => String, { description: 'The second profile.' })
  after!: string;

  @Field(() => [MetricDifference], { description: 'Second minus first, in each metric.' })
  differences!: readonly MetricDifference[];

  @Field(() => [ChangedCase], { description: 'The cases with the largest losses and gains.' })
  changed!: readonly ChangedCase[];
}

@ObjectType({ description: 'How a profile was tuned; the report is of the test split.', simpleResolvers: true })
export class TuningReport {
  @Field(() => String, { description: 'The name of the tuned profile.' })
  profile!: string;

  @Field(() => ProfileSettings, { description: 'Its settings.' })
  settings!: ProfileSettings;

  @Field(() => Int, { description: 'Measured cases of the training split.' })
  trainingCases!: number;

  @Field(() => Int, { description: 'Cases of the training split that could not be measured.' })
  skippedCases!: number;

  @Field(() => Int, { description: 'How many settings were tried.' })
  tried!: number;

  @Field(() => PairedDifference, {
    description: 'The cross-validated gain over the settings at the start, in the mean of nDCG@10 and MRR.',
  })
  crossValidated!: PairedDifference;

  @Field(() => Boolean, {
    description: 'Whether the gain on the test split is significant; only then is the profile saved.',
  })
  accepted!: boolean;
}

@ObjectType({ description: 'How a ranking did in one group of cases.', simpleResolvers: true })
export class SliceSummary {
  @Field(() => SliceEnum, { description: 'What the cases are grouped by.' })
  slice!: Slice;

  @Field(() => String, { description: 'The group, such as "G5" or "zh".' })
  group!: string;

  @Field(() => Int, { description: 'How many cases it has.' })
  cases!: number;

  @Field(() => [MetricEstimate], { description: 'Its nDCG@10 and MRR.' })
  metrics!: readonly MetricEstimate[];
}

@ObjectType({ description: 'What an evaluation measured.', simpleResolvers: true })
export class EvaluationReport {
  @Field(() => Int, { description: 'How many cases were measured.' })
  cases!: number;

  @Field(() => Int, {
    description: 'Cases that could not be: no relevant card, or not the card of the query, is in the notebook.',
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

  @Field(() => [RankingSummary], { description: 'The search first, then its lanes, then plain BM25.' })
  rankings!: readonly RankingSummary[];

  @Field(() => [SliceSummary], {
    description: 'How one ranking did in groups of cases; none for an unknown ranking.',
    simple: false,
  })
  slices(
    @Root() { reports }: EvaluationReport,
    @Arg('ranking', () => String, {
      nullable: true,
      defaultValue: 'search',
      description: 'The name of the ranking.',
    })
    ranking: string | null,
  ): readonly SliceSummary[] {
    const slices = reports.find(({ name }) => name === ranking)?.slices ?? [];
    return slices.map((slice) => ({ ...slice, metrics: estimatesOf(slice.metrics) }));
  }

  /** As they were measured, for `slices`. */
  reports!: readonly RankingReport[];

  @Field(() => [String], { description: 'Lanes without any hit; they are not among the rankings.' })
  silentLanes!: readonly string[];

  @Field(() => [RankingContest], { description: 'The search against plain BM25, and against the best of its lanes.' })
  contests!: readonly RankingContest[];

  @Field(() => ProfileComparison, {
    nullable: true,
    description: 'The comparison of two profiles; null where there was one.',
  })
  comparison!: ProfileComparison | null;

  @Field(() => TuningReport, { nullable: true, description: 'How the profile was tuned; null where it was not.' })
  tuning!: TuningReport | null;
}
