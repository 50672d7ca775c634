import { GraphQLDateTime } from 'graphql-scalars';
import { Field, ID, Int, ObjectType, Root } from 'type-graphql';
import type { QualityGrade } from '../src/domain/card.js';
import type { GoldenCase as DomainCase } from '../src/domain/golden.js';
import type { Language } from '../src/domain/language.js';
import type { Perspective } from '../src/domain/perspective.js';
import type { SearchOperation } from '../src/domain/search.js';
import { PerspectiveEnum, QualityGradeEnum } from './enums.js';
import { SearchOperationEnum } from './golden.enums.js';
import { MetadataEntry } from './metadata.type.js';
import { LanguageEnum } from './tutoring.enums.js';

@ObjectType({ description: 'The grade of one card in a case.', simpleResolvers: true })
export class Judgement {
  @Field(() => ID, { description: 'The judged card; it may have been deleted since.' })
  cardId!: string;

  @Field(() => Int, { description: 'The relevance, from 0 (not relevant) to 10: the gain of nDCG.' })
  grade!: number;

  @Field(() => String, { nullable: true, description: 'The reason given by the person who judged.' })
  reason!: string | null;
}

@ObjectType({
  description: 'The filter of a case; an absent field does not restrict.',
  simpleResolvers: true,
})
export class GoldenFilter {
  @Field(() => [String], {
    nullable: true,
    description: 'The earlier name of `grades`.',
    deprecationReason: 'Use `grades`. Deprecated on 2026-11-23.',
  })
  grade?: string[];

  @Field(() => [String], { nullable: true, description: 'The grade is one of these.', simple: false })
  grades(@Root() { grade }: GoldenFilter): string[] | undefined {
    return grade;
  }

  @Field(() => [String], {
    nullable: true,
    description: 'The earlier name of `subjects`.',
    deprecationReason: 'Use `subjects`. Deprecated on 2026-11-23.',
  })
  subject?: string[];

  @Field(() => [String], { nullable: true, description: 'The subject is one of these.', simple: false })
  subjects(@Root() { subject }: GoldenFilter): string[] | undefined {
    return subject;
  }

  @Field(() => Int, { nullable: true, description: 'Minimum difficulty.' })
  difficultyMin?: number;

  @Field(() => Int, { nullable: true, description: 'Maximum difficulty.' })
  difficultyMax?: number;

  @Field(() => [String], { nullable: true, description: 'The card carries at least one of these topic tags.' })
  topicTags?: string[];

  @Field(() => [String], { nullable: true, description: 'The card carries at least one of these error types.' })
  errorTypes?: string[];

  @Field(() => [String], { nullable: true, description: 'The card carries all of these topic tags.' })
  allTopicTags?: string[];

  @Field(() => [String], { nullable: true, description: 'The card carries all of these error types.' })
  allErrorTypes?: string[];

  @Field(() => [QualityGradeEnum], {
    nullable: true,
    description: 'The earlier name of `qualityGrades`.',
    deprecationReason: 'Use `qualityGrades`. Deprecated on 2026-11-23.',
  })
  qualityGrade?: QualityGrade[];

  @Field(() => [QualityGradeEnum], { nullable: true, description: 'The quality grade is one of these.', simple: false })
  qualityGrades(@Root() { qualityGrade }: GoldenFilter): QualityGrade[] | undefined {
    return qualityGrade;
  }

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

  @Field(() => GraphQLDateTime, { nullable: true, description: 'The mistake was made before this time.' })
  occurredBefore?: Date;

  @Field(() => [MetadataEntry], { nullable: true, description: 'The card has all of these entries in its metadata.' })
  metadata?: MetadataEntry[];

  @Field(() => [ID], { nullable: true, description: 'Cards to exclude.' })
  excludeCardIds?: string[];
}

@ObjectType({ description: 'A query with the cards that it should find.', simpleResolvers: true })
export class GoldenCase {
  @Field(() => ID, { description: 'The id of the case, unique within its set.' })
  id!: string;

  @Field(() => SearchOperationEnum, { description: 'The search operation.' })
  operation!: SearchOperation;

  @Field(() => String, { nullable: true, description: 'The text of the query; null for a card.' })
  text!: string | null;

  @Field(() => ID, { nullable: true, description: 'The card used as query; null for a text.' })
  cardId!: string | null;

  @Field(() => GoldenFilter, { description: 'The filter of the search.' })
  filter!: object;

  @Field(() => PerspectiveEnum, {
    nullable: true,
    description: 'The perspective in which the relevant cards are similar to the query; null for that of the search.',
  })
  perspective!: Perspective | null;

  @Field(() => [Judgement], {
    description: 'The judged cards. A case without a grade above 0 still needs to be judged.',
  })
  relevant!: readonly Judgement[];

  @Field(() => String, {
    nullable: true,
    description: 'Why these cards are relevant, or where the case comes from.',
  })
  reason!: string | null;
}

@ObjectType({ description: 'Some cases of a set, in their order.', simpleResolvers: true })
export class GoldenCasePage {
  @Field(() => [GoldenCase], { description: 'The cases.' })
  nodes!: GoldenCase[];

  @Field(() => String, {
    nullable: true,
    description: 'Pass it as `after` for the next cases; null where there are no more.',
  })
  next!: string | null;
}

@ObjectType({ description: 'A named set of queries with the cards that they should find.' })
export class GoldenSet {
  @Field(() => String, { description: 'The name of the set.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'The purpose of the set.' })
  description!: string | null;

  @Field(() => Int, { name: 'caseCount', description: 'How many cases there are.' })
  cases!: number;

  @Field(() => Int, {
    name: 'judgedCaseCount',
    description: 'Number of cases that can be measured: those with a grade above 0.',
  })
  judgedCases!: number;

  @Field(() => Int, { name: 'judgementCount', description: 'Number of judged cards, over all cases.' })
  judgements!: number;

  @Field(() => GraphQLDateTime, { description: 'When the set was created.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTime, { description: 'When it was last changed.' })
  updatedAt!: Date;
}

@ObjectType({ description: 'The result of judging a hit.', simpleResolvers: true })
export class JudgedHit {
  @Field(() => ID, { description: 'Pass it to undoJudgement to take the judgement back.' })
  judgementId!: string;

  @Field(() => String, { description: 'The golden set of the judgement.' })
  set!: string;

  @Field(() => GoldenCase, { description: 'The case of the search, with all of its judgements.' })
  case!: GoldenCase;
}

@ObjectType({ description: 'The result of undoing a judgement.', simpleResolvers: true })
export class UndoneJudgement {
  @Field(() => String, { description: 'The golden set of the judgement.' })
  set!: string;

  @Field(() => GoldenCase, {
    nullable: true,
    description: 'The case afterwards; null if judging had created it and no judgement is left.',
  })
  case!: GoldenCase | null;
}

/** A case as the API shows it. */
export function goldenCaseType({ subject, judgements, ...rest }: DomainCase): GoldenCase {
  return {
    ...rest,
    text: subject.kind === 'text' ? subject.text : null,
    cardId: subject.kind === 'card' ? subject.cardId : null,
    relevant: judgements,
  };
}
