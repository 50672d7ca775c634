import { GraphQLDateTime } from 'graphql-scalars';
import { Field, ID, InputType, Int } from 'type-graphql';
import type { QualityGrade } from '../src/domain/card.js';
import { QualityGradeEnum } from './enums.js';

@InputType({
  description:
    'Which cards may be answered. A card must pass every field that is given; a list means any of its 1 to 100 values. A field that is left out does not restrict; null and an empty list are refused.',
})
export class CardFilter {
  @Field(() => [String], { nullable: true, description: 'The grade is one of these, such as ["G5", "G6"].' })
  grade?: string[];

  @Field(() => [String], { nullable: true, description: 'The subject is one of these, such as ["math"].' })
  subject?: string[];

  @Field(() => Int, { nullable: true, description: 'The difficulty is at least this, from 1 to 5.' })
  difficultyMin?: number;

  @Field(() => Int, {
    nullable: true,
    description: 'The difficulty is at most this, from 1 to 5, and not below difficultyMin.',
  })
  difficultyMax?: number;

  @Field(() => [String], { nullable: true, description: 'The card carries at least one of these topic tags.' })
  topicTags?: string[];

  @Field(() => [String], { nullable: true, description: 'The card carries at least one of these error types.' })
  errorTypes?: string[];

  @Field(() => [QualityGradeEnum], { nullable: true, description: 'The quality grade is one of these.' })
  qualityGrade?: QualityGrade[];

  @Field(() => GraphQLDateTime, { nullable: true, description: 'The mistake happened at this moment or later.' })
  occurredAfter?: Date;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'The mistake happened before this moment, which is later than occurredAfter.',
  })
  occurredBefore?: Date;

  @Field(() => [ID], { nullable: true, description: 'The card is none of these, such as those already practised.' })
  excludeCardIds?: string[];
}
