import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Float, Int, ObjectType } from 'type-graphql';
import type { SearchOperation } from '../src/domain/search.js';
import { SearchOperationEnum } from './golden.enums.js';

@ObjectType({ description: 'How long the recent searches of one kind took.', simpleResolvers: true })
export class OperationMetrics {
  @Field(() => String, { description: 'The search, such as "hybridSearch".' })
  operation!: string;

  @Field(() => Int, { description: 'How many were answered since the gateway started.' })
  searches!: number;

  @Field(() => Float, { description: 'Half of the recent ones took at most so long, in milliseconds.' })
  p50Ms!: number;

  @Field(() => Float, { description: 'All but one in 20 of the recent ones took at most so long, in milliseconds.' })
  p95Ms!: number;

  @Field(() => Float, { description: 'All but one in 100 of the recent ones took at most so long, in milliseconds.' })
  p99Ms!: number;
}

@ObjectType({ description: 'How long one stage of the recent searches took.', simpleResolvers: true })
export class StageMetrics {
  @Field(() => String, { description: 'The stage, such as "embed" or "retrieve".' })
  stage!: string;

  @Field(() => Float, { description: 'In half of the searches it took at most so long, in milliseconds.' })
  p50Ms!: number;

  @Field(() => Float, { description: 'In all but one of 20 searches it took at most so long, in milliseconds.' })
  p95Ms!: number;
}

@ObjectType({ description: 'How many of the recent searches kept their filter in one way.', simpleResolvers: true })
export class FilterPlanMetrics {
  @Field(() => String, { description: 'The way, as receipts name it: "none", "exact" or "overfetch".' })
  plan!: string;

  @Field(() => Int, { description: 'How many of the recent searches went that way.' })
  searches!: number;
}

@ObjectType({
  description:
    "What became of the searches among your school's cards at this gateway. Recent are the latest 1,000 of each kind.",
  simpleResolvers: true,
})
export class SearchMetrics {
  @Field(() => Int, {
    description:
      'How many searches were answered since the gateway started, which remembers the hundred tenants that searched last.',
  })
  searches!: number;

  @Field(() => Int, {
    description: 'How many searches got no answer since the gateway started, though nothing was wrong with them.',
  })
  failed!: number;

  @Field(() => Int, { description: 'How many searches the rates, times and plans here are of.' })
  recent!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'The share of recent searches that found nothing, from 0 to 1; null before the first search.',
  })
  zeroResultRate!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'The share of recent searches that had to do without a part, from 0 to 1; null before the first search.',
  })
  degradedRate!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'How often the vector of a text was at hand, from 0 to 1, for the whole gateway; null while no cache is in front of the model.',
  })
  embeddingCacheHitRate!: number | null;

  @Field(() => [OperationMetrics], { description: 'The kinds of search that were asked for, in alphabetical order.' })
  operations!: OperationMetrics[];

  @Field(() => [StageMetrics], { description: 'The stages of the recent searches, in the order in which they ran.' })
  stages!: StageMetrics[];

  @Field(() => [FilterPlanMetrics], { description: 'How the recent searches kept their filters.' })
  filterPlans!: FilterPlanMetrics[];
}

@ObjectType({ description: 'A text that was searched for and found nothing.', simpleResolvers: true })
export class ZeroResultSearch {
  @Field(() => SearchOperationEnum, { description: 'The search that found nothing.' })
  operation!: SearchOperation;

  @Field(() => String, { description: 'What was searched for.' })
  text!: string;

  @Field(() => Int, { description: 'How often.' })
  searches!: number;

  @Field(() => GraphQLDateTime, { description: 'When for the last time.' })
  lastAt!: Date;
}
