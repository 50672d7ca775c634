import { GraphQLDateTime } from 'graphql-scalars';
import { Field, ID, InputType, Int } from 'type-graphql';
import type { QualityGrade } from '../src/domain/card.js';
import type { Language } from '../src/domain/language.js';
import { QualityGradeEnum } from './enums.js';
import { MetadataInput } from './metadata.type.js';
import { LanguageEnum } from './tutoring.enums.js';

@InputType({
  description:
    'Restricts which cards may be returned. All given fields must match; a list matches any of its 1 to 100 values, one whose name begins with `all` all of them. An omitted field does not restrict; null and an empty list are errors.',
})
export class CardFilter {
  @Field(() => [String], {
    nullable: true,
    description: 'The grade is one of these, such as ["G5", "G6"]; 五年级 and Grade 5 are G5.',
  })
  grades?: string[];

  @Field(() => [String], {
    nullable: true,
    description: 'The earlier name of `grades`.',
    deprecationReason: 'Use `grades`. Deprecated on 2026-11-23.',
  })
  grade?: string[];

  @Field(() => [String], {
    nullable: true,
    description: 'The subject is one of these, such as ["math"]; 数学 is math.',
  })
  subjects?: string[];

  @Field(() => [String], {
    nullable: true,
    description: 'The earlier name of `subjects`.',
    deprecationReason: 'Use `subjects`. Deprecated on 2026-11-23.',
  })
  subject?: string[];

  @Field(() => Int, { nullable: true, description: 'Minimum difficulty, from 1 to 5.' })
  difficultyMin?: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Maximum difficulty, from 1 to 5, not below difficultyMin.',
  })
  difficultyMax?: number;

  @Field(() => [String], {
    nullable: true,
    description: 'The card carries at least one of these topic tags, or of those below them, by name or alias.',
  })
  topicTags?: string[];

  @Field(() => [String], {
    nullable: true,
    description: 'The card carries at least one of these error types, or of those below them, by name or alias.',
  })
  errorTypes?: string[];

  @Field(() => [String], { nullable: true, description: 'The card carries all of these topic tags.' })
  allTopicTags?: string[];

  @Field(() => [String], { nullable: true, description: 'The card carries all of these error types.' })
  allErrorTypes?: string[];

  @Field(() => [QualityGradeEnum], { nullable: true, description: 'The quality grade is one of these.' })
  qualityGrades?: QualityGrade[];

  @Field(() => [QualityGradeEnum], {
    nullable: true,
    description: 'The earlier name of `qualityGrades`.',
    deprecationReason: 'Use `qualityGrades`. Deprecated on 2026-11-23.',
  })
  qualityGrade?: QualityGrade[];

  @Field(() => [ID], { nullable: true, description: 'The card is of one of these students.' })
  owners?: string[];

  @Field(() => [String], { nullable: true, description: 'The source is one of these, whole.' })
  sources?: string[];

  @Field(() => [LanguageEnum], {
    nullable: true,
    description: 'The language is one of these: ZH if the question has a Chinese character, else EN.',
  })
  languages?: Language[];

  @Field(() => Boolean, { nullable: true, description: 'Whether the card has a reference solution.' })
  hasSolution?: boolean;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True: the card has neither topic tags nor error types. False: it has some.',
  })
  unlabelled?: boolean;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'The mistake was made at this time or later.' })
  occurredAfter?: Date;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'The mistake was made before this time, which must be later than occurredAfter.',
  })
  occurredBefore?: Date;

  @Field(() => [MetadataInput], {
    nullable: true,
    description: 'The card has all of these entries in its metadata: 1 to 32, each key once.',
  })
  metadata?: MetadataInput[];

  @Field(() => [ID], { nullable: true, description: 'Cards to exclude, such as those already practised.' })
  excludeCardIds?: string[];
}
