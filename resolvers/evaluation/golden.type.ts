import { GraphQLDateTime } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { type GoldenCase as DomainCase, writtenCase } from '../../src/domain/golden.js';
import type { Perspective } from '../../src/domain/perspective.js';
import type { SearchOperation } from '../../src/domain/search.js';
import { GoldenFilter, goldenFilter } from '../cards/card-filter.input.js';
import { connectionType } from '../connection.js';
import { PerspectiveEnum } from '../enums.js';
import { SearchOperationEnum } from './golden.enums.js';

@ObjectType({ description: 'The grade of one card in a case.', simpleResolvers: true })
export class Judgement {
  @Field(() => ID, { description: 'The judged card; it may have been deleted since.' })
  cardId!: string;

  @Field(() => Int, { description: 'The relevance, from 0 (not relevant) to 10: the gain of nDCG.' })
  grade!: number;

  @Field(() => String, { nullable: true, description: 'The reason given by the person who judged.' })
  reason!: string | null;
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
    description:
      'The perspective in which the relevant cards are similar to the query; null for the perspective of the search.',
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

@ObjectType({ description: 'A page of the cases of a set, as a Relay connection.', simpleResolvers: true })
export class GoldenCaseConnection extends connectionType<GoldenCase>('GoldenCase', GoldenCase, {
  one: 'case',
  many: 'cases',
}) {}

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
  @Field(() => ID, { description: 'The id to pass to undoJudgement.' })
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
export function goldenCaseType(one: DomainCase): GoldenCase {
  return { ...writtenCase(one), filter: goldenFilter(one.filter) };
}
