import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import type { Relevance } from '../src/domain/golden.js';
import type { Perspective } from '../src/domain/perspective.js';
import type { SearchOperation } from '../src/domain/search.js';
import { CardFilter } from './card-filter.input.js';
import { PerspectiveEnum } from './enums.js';
import { RelevanceEnum, SearchOperationEnum } from './golden.enums.js';

@InputType({ description: 'What finding a card is worth in a case.' })
export class JudgementInput {
  @Field(() => ID, { description: 'The card; each once in a case, and never the one that is searched from.' })
  cardId!: string;

  @Field(() => Int, { description: 'From 0 (it does not belong there) to 10: the gain of nDCG.' })
  grade!: number;

  @Field(() => String, { nullable: true, description: 'Why.' })
  reason?: string | null;
}

@InputType({ description: 'A search that somebody made.' })
export class GoldenQueryInput {
  @Field(() => SearchOperationEnum, { description: 'The search.' })
  operation!: SearchOperation;

  @Field(() => String, { nullable: true, description: 'Its words. Give either text or cardId.' })
  text?: string | null;

  @Field(() => ID, { nullable: true, description: 'The card that it was made from. Give either text or cardId.' })
  cardId?: string | null;

  @Field(() => CardFilter, { nullable: true, description: 'What it was restricted to.' })
  filter?: CardFilter | null;
}

@InputType({ description: 'One question with the answers that it should get.' })
export class GoldenCaseInput extends GoldenQueryInput {
  @Field(() => ID, {
    description:
      'An id that no other case of the set has, in the form of a card id. The case with this id is replaced.',
  })
  id!: string;

  @Field(() => PerspectiveEnum, {
    nullable: true,
    description: 'In which perspective the relevant cards are like the query. By default that of the search.',
  })
  perspective?: Perspective | null;

  @Field(() => [JudgementInput], { nullable: true, description: 'The cards that were judged: at most 5000.' })
  relevant?: JudgementInput[] | null;

  @Field(() => String, { nullable: true, description: 'Why these are the right answers.' })
  reason?: string | null;
}

@InputType({ description: 'A golden set to make or to change.' })
export class SaveGoldenSetInput {
  @Field(() => String, { description: 'The name of the set: 1 to 100 characters.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'What it is for; left out, it stays as it is.' })
  description?: string | null;

  @Field(() => [GoldenCaseInput], {
    nullable: true,
    description: 'At most 500 cases, in place of all that the set has. Left out, those stay as they are.',
  })
  cases?: GoldenCaseInput[] | null;
}

/** The arguments of `judgeHit`. */
@ArgsType()
export class JudgeHitArgs {
  @Field(() => GoldenQueryInput, { description: 'The search that the hit came in.' })
  query!: GoldenQueryInput;

  @Field(() => ID, { description: 'The card that was hit.' })
  cardId!: string;

  @Field(() => RelevanceEnum, { description: 'Whether it belongs there.' })
  relevance!: Relevance;

  @Field(() => String, { nullable: true, description: 'Why.' })
  reason?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The set that the judgement goes to; it is made where it is missing. By default "judged".',
  })
  set?: string | null;
}
