import { ID, Int } from 'type-graphql';
import { DEFAULT_BUDGET } from '../../src/domain/parse/tutoring.js';
import { CardFilter } from '../cards/card-filter.input.js';
import { SearchOptions } from '../search/search.input.js';
import type { InputFields } from '../types.js';
import { argsType, inputType } from '../types.js';
import { LanguageEnum, TutoringModeEnum } from './tutoring.enums.js';

const QUESTION = {
  cardId: {
    type: ID,
    nullable: true,
    description: 'The mistake to help with: its own solutions are the first source. Give either text or cardId.',
  },
  text: {
    type: String,
    nullable: true,
    description: 'A question, or the words of a student: up to 16384 bytes of UTF-8. Give either text or cardId.',
  },
  mode: {
    type: TutoringModeEnum,
    nullable: true,
    defaultValue: TutoringModeEnum.EXPLAIN,
    description: 'The task of the tutor.',
  },
  budgetTokens: {
    type: Int,
    nullable: true,
    defaultValue: DEFAULT_BUDGET,
    description:
      'Maximum number of tokens of the prompt, from 500 to 16000, counted with the encoding of OpenAI models since GPT-4o.',
  },
  language: {
    type: LanguageEnum,
    nullable: true,
    description: 'The language of rules and headings. By default that of the question.',
  },
  filter: {
    type: CardFilter,
    nullable: true,
    description: 'Restricts which cards may be sources; every card by default.',
  },
  options: { type: SearchOptions, nullable: true, description: 'Search options.' },
  profile: {
    type: String,
    nullable: true,
    description: 'The search profile: defaults for omitted options. By default the one set by SEARCH_PROFILE.',
  },
} satisfies InputFields;

/** What a context is asked for. */
export const TutoringArgs = argsType(QUESTION);

export const TutorInput = inputType('TutorInput', 'A question to a tutor. Give either text or cardId.', QUESTION);
