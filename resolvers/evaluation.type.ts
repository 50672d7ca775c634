import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { EvaluationJob } from '../src/domain/ports/evaluation.js';

/** The states of an evaluation as GraphQL names them. */
export const EvaluationStateEnum = {
  RUNNING: 'RUNNING',
  DONE: 'DONE',
  FAILED: 'FAILED',
} as const satisfies { readonly [S in EvaluationJob['state']]: S };

registerEnumType(EvaluationStateEnum, {
  name: 'EvaluationState',
  description: 'How far an evaluation is.',
  valuesConfig: {
    RUNNING: { description: 'It is under way; done and total tell how far.' },
    DONE: { description: 'The report is there.' },
    FAILED: { description: 'It ended without a report; error says why.' },
  },
});

@ObjectType({ description: 'A measure with its interval of 95 % confidence.', simpleResolvers: true })
export class MetricEstimate {
  @Field(() => String, { description: 'The measure, such as ndcgAt10 or mrr.' })
  metric!: string;

  @Field(() => Float, { description: 'The mean over the cases.' })
  value!: number;

  @Field(() => Float, { description: 'The lower end of the interval.' })
  low!: number;

  @Field(() => Float, { description: 'The upper end of the interval.' })
  high!: number;
}

@ObjectType({ description: 'How one way to answer the cases did.', simpleResolvers: true })
export class RankingSummary {
  @Field(() => String, {
    description: 'What ranked: "search", a lane alone such as "dense question", or "plain BM25".',
  })
  name!: string;

  @Field(() => String, { description: 'What kind of ranking it is: "search", "lane" or "baseline".' })
  kind!: string;

  @Field(() => [MetricEstimate], { description: 'All measures.' })
  metrics!: MetricEstimate[];

  @Field(() => Float, { nullable: true, description: 'The median time of a search, in milliseconds; null for a lane.' })
  p50Ms!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'The time that 95 % of the searches stay under, in milliseconds.',
  })
  p95Ms!: number | null;
}

@ObjectType({ description: 'A measurement of search on a golden set, and its report when it is done.' })
export class Evaluation {
  @Field(() => ID, { description: 'The id of the evaluation.' })
  id!: string;

  @Field(() => String, { description: 'The golden set that is measured.' })
  set!: string;

  @Field(() => String, { description: 'The search profile that is measured.' })
  profile!: string;

  @Field(() => String, { nullable: true, description: 'The profile that it is compared with.' })
  against!: string | null;

  @Field(() => Int, { description: 'How many hits are asked for in each case.' })
  k!: number;

  @Field(() => EvaluationStateEnum, { description: 'How far it is.' })
  state!: EvaluationJob['state'];

  @Field(() => Int, { description: 'How many cases have been measured.' })
  done!: number;

  @Field(() => Int, { description: 'How many cases there are.' })
  total!: number;

  @Field(() => String, { nullable: true, description: 'Why it failed.' })
  error!: string | null;

  @Field(() => GraphQLDateTime, { description: 'When it began.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'When it ended.' })
  finishedAt!: Date | null;
}
