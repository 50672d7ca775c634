import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import { DEFAULT_BUDGET } from '../../src/domain/parse/tutoring.js';
import type { TutoringMode } from '../../src/domain/tutoring.js';
import { CardFilter } from '../cards/card-filter.input.js';
import { SearchOptions } from '../search/search.input.js';
import { LanguageEnum, TutoringModeEnum } from './tutoring.enums.js';

/** What a context is asked for. */
@ArgsType()
@InputType('TutorInput', { description: 'A question to a tutor. Give either text or cardId.' })
export class TutoringArgs {
  @Field(() => ID, {
    nullable: true,
    description: 'The mistake to help with: its own solutions are the first source. Give either text or cardId.',
  })
  cardId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'A question, or the words of a student: up to 16384 bytes of UTF-8. Give either text or cardId.',
  })
  text?: string | null;

  @Field(() => TutoringModeEnum, {
    nullable: true,
    defaultValue: TutoringModeEnum.EXPLAIN,
    description: 'The task of the tutor.',
  })
  mode?: TutoringMode | null;

  @Field(() => Int, {
    nullable: true,
    defaultValue: DEFAULT_BUDGET,
    description:
      'Maximum number of tokens of the prompt, from 500 to 16000, counted with the encoding of OpenAI models since GPT-4o.',
  })
  budgetTokens?: number | null;

  @Field(() => LanguageEnum, {
    nullable: true,
    description: 'The language of rules and headings. By default that of the question.',
  })
  language?: 'en' | 'zh' | null;

  @Field(() => CardFilter, {
    nullable: true,
    description: 'Restricts which cards may be sources; every card by default.',
  })
  filter?: CardFilter | null;

  @Field(() => SearchOptions, { nullable: true, description: 'Search options.' })
  options?: SearchOptions | null;

  @Field(() => String, {
    nullable: true,
    description: 'The search profile: defaults for omitted options. By default the one set by SEARCH_PROFILE.',
  })
  profile?: string | null;
}
