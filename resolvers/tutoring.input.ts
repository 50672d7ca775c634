import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import { DEFAULT_BUDGET } from '../src/domain/parse/tutoring.js';
import type { TutoringMode } from '../src/domain/tutoring.js';
import { CardFilter } from './card-filter.input.js';
import { SearchOptions } from './search.input.js';
import { LanguageEnum, TutoringModeEnum } from './tutoring.enums.js';

/** What a context is asked for. */
@ArgsType()
@InputType('TutorInput', { description: 'What a tutor is asked. Give either text or cardId.' })
export class TutoringArgs {
  @Field(() => ID, {
    nullable: true,
    description: 'The mistake to help with: its own solutions are the first source. Give either text or cardId.',
  })
  cardId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'A question, or what a student says: up to 16384 bytes of UTF-8. Give either text or cardId.',
  })
  text?: string | null;

  @Field(() => TutoringModeEnum, {
    nullable: true,
    defaultValue: TutoringModeEnum.EXPLAIN,
    description: 'What the tutor is to do.',
  })
  mode?: TutoringMode | null;

  @Field(() => Int, {
    nullable: true,
    defaultValue: DEFAULT_BUDGET,
    description:
      'The most tokens that the prompt may have, from 500 to 16000, counted as OpenAI models since GPT-4o do.',
  })
  budgetTokens?: number | null;

  @Field(() => LanguageEnum, {
    nullable: true,
    description: 'The language of rules and headings. By default that of the question.',
  })
  language?: 'en' | 'zh' | null;

  @Field(() => CardFilter, { nullable: true, description: 'Which cards may be sources; every card by default.' })
  filter?: CardFilter | null;

  @Field(() => SearchOptions, { nullable: true, description: 'How to choose among the cards that were found.' })
  options?: SearchOptions | null;

  @Field(() => String, {
    nullable: true,
    description: 'The search profile that decides what options do not say. By default the one of the gateway.',
  })
  profile?: string | null;
}
