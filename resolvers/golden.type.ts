import { GraphQLDateTime } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { QualityGrade } from '../src/domain/card.js';
import type { GoldenCase as DomainCase } from '../src/domain/golden.js';
import type { Perspective } from '../src/domain/perspective.js';
import type { SearchOperation } from '../src/domain/search.js';
import { PerspectiveEnum, QualityGradeEnum } from './enums.js';
import { SearchOperationEnum } from './golden.enums.js';

@ObjectType({ description: 'What was said of one card as an answer to a case.', simpleResolvers: true })
export class Judgement {
  @Field(() => ID, { description: 'The card that was judged; it may be gone by now.' })
  cardId!: string;

  @Field(() => Int, { description: 'What finding it is worth, from 0 (it does not belong there) to 10.' })
  grade!: number;

  @Field(() => String, { nullable: true, description: 'Why, in the words of whoever judged.' })
  reason!: string | null;
}

@ObjectType({
  description: 'Which cards a case lets through; an absent field does not restrict.',
  simpleResolvers: true,
})
export class GoldenFilter {
  @Field(() => [String], { nullable: true, description: 'The grade is one of these.' })
  grade?: string[];

  @Field(() => [String], { nullable: true, description: 'The subject is one of these.' })
  subject?: string[];

  @Field(() => Int, { nullable: true, description: 'The difficulty is at least this.' })
  difficultyMin?: number;

  @Field(() => Int, { nullable: true, description: 'The difficulty is at most this.' })
  difficultyMax?: number;

  @Field(() => [String], { nullable: true, description: 'The card carries at least one of these topic tags.' })
  topicTags?: string[];

  @Field(() => [String], { nullable: true, description: 'The card carries at least one of these error types.' })
  errorTypes?: string[];

  @Field(() => [QualityGradeEnum], { nullable: true, description: 'The quality grade is one of these.' })
  qualityGrade?: QualityGrade[];

  @Field(() => GraphQLDateTime, { nullable: true, description: 'The mistake happened at this moment or later.' })
  occurredAfter?: Date;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'The mistake happened before this moment.' })
  occurredBefore?: Date;

  @Field(() => [ID], { nullable: true, description: 'The card is none of these.' })
  excludeCardIds?: string[];
}

@ObjectType({ description: 'One question with the answers that it should get.', simpleResolvers: true })
export class GoldenCase {
  @Field(() => ID, { description: 'The id of the case, unique within its set.' })
  id!: string;

  @Field(() => SearchOperationEnum, { description: 'The search that is asked.' })
  operation!: SearchOperation;

  @Field(() => String, { nullable: true, description: 'The words that are searched for; null for a card.' })
  text!: string | null;

  @Field(() => ID, { nullable: true, description: 'The card that is searched from; null for a text.' })
  cardId!: string | null;

  @Field(() => GoldenFilter, { description: 'What the search is restricted to.' })
  filter!: object;

  @Field(() => PerspectiveEnum, {
    nullable: true,
    description: 'In which perspective the relevant cards are like the query; null for that of the search.',
  })
  perspective!: Perspective | null;

  @Field(() => [Judgement], {
    description: 'The cards that were judged. A case where none has a grade above 0 waits to be judged.',
  })
  relevant!: readonly Judgement[];

  @Field(() => String, {
    nullable: true,
    description: 'Why these are the right answers, or where the case comes from.',
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

@ObjectType({ description: 'A named set of questions with the answers that search should give.' })
export class GoldenSet {
  @Field(() => String, { description: 'The name of the set.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'What the set is for.' })
  description!: string | null;

  @Field(() => Int, { name: 'caseCount', description: 'How many cases there are.' })
  cases!: number;

  @Field(() => Int, {
    name: 'judgedCaseCount',
    description: 'How many of them can be measured: a card has a grade above 0.',
  })
  judgedCases!: number;

  @Field(() => Int, { name: 'judgementCount', description: 'How many cards were judged, over all cases.' })
  judgements!: number;

  @Field(() => GraphQLDateTime, { description: 'When the set was made.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTime, { description: 'When it was last changed.' })
  updatedAt!: Date;
}

@ObjectType({ description: 'What came of judging a hit.', simpleResolvers: true })
export class JudgedHit {
  @Field(() => ID, { description: 'Pass it to undoJudgement to take the judgement back.' })
  judgementId!: string;

  @Field(() => String, { description: 'The set that the judgement went to.' })
  set!: string;

  @Field(() => GoldenCase, { description: 'The case of the search, with all that was judged in it.' })
  case!: GoldenCase;
}

@ObjectType({ description: 'What came of taking a judgement back.', simpleResolvers: true })
export class UndoneJudgement {
  @Field(() => String, { description: 'The set that the judgement was in.' })
  set!: string;

  @Field(() => GoldenCase, {
    nullable: true,
    description: 'The case as it is now; null where judging had made it and nothing is left in it.',
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
