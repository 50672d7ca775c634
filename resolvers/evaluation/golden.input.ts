import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import type { Relevance } from '../../src/domain/golden.js';
import type { Perspective } from '../../src/domain/perspective.js';
import type { SearchOperation } from '../../src/domain/search.js';
import { CardFilter } from '../cards/card-filter.input.js';
import { PerspectiveEnum } from '../enums.js';
import { RelevanceEnum, SearchOperationEnum } from './golden.enums.js';

@InputType({ description: 'The grade of a card in a case.' })
export class JudgementInput {
  @Field(() => ID, { description: 'The card; each once in a case, and never the query card.' })
  cardId!: string;

  @Field(() => Int, { description: 'From 0 (not relevant) to 10: the gain of nDCG.' })
  grade!: number;

  @Field(() => String, { nullable: true, description: 'Why.' })
  reason?: string | null;
}

@InputType({ description: 'The search that returned the hit.' })
export class GoldenQueryInput {
  @Field(() => SearchOperationEnum, { description: 'The search.' })
  operation!: SearchOperation;

  @Field(() => String, { nullable: true, description: 'The text of the query. Give either text or cardId.' })
  text?: string | null;

  @Field(() => ID, { nullable: true, description: 'The card used as query. Give either text or cardId.' })
  cardId?: string | null;

  @Field(() => CardFilter, { nullable: true, description: 'The filter of the search.' })
  filter?: CardFilter | null;
}

@InputType({ description: 'A query with the cards that it should find.' })
export class GoldenCaseInput extends GoldenQueryInput {
  @Field(() => ID, {
    nullable: true,
    description:
      'An id that no other case of the set has, in the format of a card id. An existing case with this id is replaced. By default the id of the case that judgeHit creates for this query.',
  })
  id?: string | null;

  @Field(() => PerspectiveEnum, {
    nullable: true,
    description: 'The perspective in which the relevant cards are similar to the query. By default that of the search.',
  })
  perspective?: Perspective | null;

  @Field(() => [JudgementInput], { nullable: true, description: 'The judged cards: at most 5000.' })
  relevant?: JudgementInput[] | null;

  @Field(() => String, { nullable: true, description: 'Why these cards are relevant.' })
  reason?: string | null;
}

@InputType({ description: 'A golden set to create or to change.' })
export class SaveGoldenSetInput {
  @Field(() => String, { description: 'The name of the set: 1 to 100 characters.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'The purpose of the set; if omitted, it is kept.' })
  description?: string | null;

  @Field(() => [GoldenCaseInput], {
    nullable: true,
    description: 'At most 500 cases, which replace all cases of the set. If omitted, the cases are kept.',
  })
  cases?: GoldenCaseInput[] | null;
}

/** The arguments of `judgeHit`. */
@ArgsType()
export class JudgeHitArgs {
  @Field(() => GoldenQueryInput, { description: 'The search that returned the hit.' })
  query!: GoldenQueryInput;

  @Field(() => ID, { description: 'The card of the hit.' })
  cardId!: string;

  @Field(() => RelevanceEnum, { description: 'The judgement.' })
  relevance!: Relevance;

  @Field(() => String, { nullable: true, description: 'Why.' })
  reason?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The golden set of the judgement; created if it does not exist. By default "judged".',
  })
  set?: string | null;
}
