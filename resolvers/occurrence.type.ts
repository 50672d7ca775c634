import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import type { Card, QualityGrade } from '../src/domain/card.js';
import { MistakeCard } from './card.type.js';
import { QualityGradeEnum } from './enums.js';
import { MetadataEntry } from './metadata.type.js';

@ObjectType({
  description: 'Fields of a merged card that differ from the card it was merged into; null where they are equal.',
  simpleResolvers: true,
})
export class MergedContent {
  @Field(() => String, { nullable: true, description: 'Its subject.' })
  subject?: string;

  @Field(() => String, { nullable: true, description: 'Its grade.' })
  grade?: string;

  @Field(() => Int, { nullable: true, description: 'Its difficulty.' })
  difficulty?: number;

  @Field(() => String, { nullable: true, description: 'Its question.' })
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

  @Field(() => [MetadataEntry], { nullable: true, description: 'Its metadata.' })
  metadata?: MetadataEntry[];
}

@ObjectType({ description: 'One occurrence of a mistake.', simpleResolvers: true })
export class Occurrence {
  @Field(() => Int, { description: 'Number of the occurrence, in the order of storing, from 1.' })
  number!: number;

  @Field(() => GraphQLDateTime, { description: 'When the mistake was made.' })
  occurredAt!: Date;

  @Field(() => String, { nullable: true, description: 'The wrong solution of this occurrence, or null.' })
  wrongSolution!: string | null;

  @Field(() => [String], { description: 'The error types of this occurrence.' })
  errorTypes!: string[];

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the card that was merged into this occurrence, or null.',
  })
  mergedId!: string | null;

  @Field(() => MergedContent, { nullable: true, description: 'Fields of that card that differ, or null.' })
  merged!: MergedContent | null;
}

@ObjectType({ description: 'Cards of one owner with the same question.', simpleResolvers: true })
export class DuplicateCluster {
  @Field(() => [MistakeCard], {
    description:
      'Two or more. The first is the one to merge the others into: the card with most occurrences, or the oldest.',
  })
  cards!: Card[];

  @Field(() => Boolean, { description: 'True where the questions differ in nothing but spacing.' })
  exact!: boolean;

  @Field(() => Float, { description: 'The lowest similarity of any of them to the first, from 0 to 1.' })
  nearness!: number;
}
