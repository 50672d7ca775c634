import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import type { Card, QualityGrade } from '../src/domain/card.js';
import { MistakeCard } from './card.type.js';
import { QualityGradeEnum } from './enums.js';

@ObjectType({
  description:
    'What a card that was merged said otherwise than the card that it was merged into; null where it said the same.',
  simpleResolvers: true,
})
export class MergedContent {
  @Field(() => String, { nullable: true, description: 'Its subject.' })
  subject?: string;

  @Field(() => String, { nullable: true, description: 'Its grade.' })
  grade?: string;

  @Field(() => Int, { nullable: true, description: 'Its difficulty.' })
  difficulty?: number;

  @Field(() => String, { nullable: true, description: 'Its question, as it was written.' })
  questionText?: string;

  @Field(() => String, { nullable: true, description: 'Its reference solution.' })
  goldSolutionBrief?: string;

  @Field(() => [String], { nullable: true, description: 'Its topic tags.' })
  topicTags?: string[];

  @Field(() => QualityGradeEnum, { nullable: true, description: 'Its quality grade.' })
  qualityGrade?: QualityGrade;

  @Field(() => String, { nullable: true, description: 'Where it came from.' })
  source?: string;

  @Field(() => String, { nullable: true, description: 'Its notes.' })
  notes?: string;
}

@ObjectType({ description: 'One time that a mistake was made.', simpleResolvers: true })
export class Occurrence {
  @Field(() => Int, { description: 'Counts the times in the order in which they were stored, from 1.' })
  number!: number;

  @Field(() => GraphQLDateTime, { description: 'When it happened.' })
  occurredAt!: Date;

  @Field(() => String, { nullable: true, description: 'What the student wrote this time, or null.' })
  wrongSolution!: string | null;

  @Field(() => [String], { description: 'What went wrong this time.' })
  errorTypes!: string[];

  @Field(() => ID, {
    nullable: true,
    description: 'The id that this had as a card of its own before it was merged, or null.',
  })
  mergedId!: string | null;

  @Field(() => MergedContent, { nullable: true, description: 'What that card said otherwise, or null.' })
  merged!: MergedContent | null;
}

@ObjectType({ description: 'Cards that are taken for the same question of one owner.', simpleResolvers: true })
export class DuplicateCluster {
  @Field(() => [MistakeCard], {
    description:
      'Two or more. The first is the one to merge the others into: it has most occurrences, or is the oldest.',
  })
  cards!: Card[];

  @Field(() => Boolean, { description: 'True where the questions differ in nothing but spacing.' })
  exact!: boolean;

  @Field(() => Float, { description: 'How alike the least alike of them is to the first, from 0 to 1.' })
  nearness!: number;
}
