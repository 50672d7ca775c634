import { ID, Int } from 'type-graphql';
import { DEFAULT_BUDGET } from '../../src/domain/parse/tutoring.js';
import { CardFilter } from '../cards/card-filter.input.js';
import { SearchOptions } from '../search/search.input.js';
import type { InputFields } from '../types.js';
import { argsType, inputType, nullable } from '../types.js';
import { LanguageEnum, TutoringModeEnum } from './tutoring.enums.js';

const QUESTION = {
  cardId: nullable(ID, 'The mistake to help with: its own solutions are the first source. Give either text or cardId.'),
  text: nullable(
    String,
    'A question, or the words of a student: up to 16384 bytes of UTF-8. Give either text or cardId.',
  ),
  mode: nullable(TutoringModeEnum, 'The task of the tutor.', { defaultValue: TutoringModeEnum.EXPLAIN }),
  budgetTokens: nullable(
    Int,
    'Maximum number of tokens of the prompt, from 500 to 16000, counted with the encoding of OpenAI models since GPT-4o.',
    { defaultValue: DEFAULT_BUDGET },
  ),
  language: nullable(LanguageEnum, 'The language of rules and headings. By default that of the question.'),
  filter: nullable(CardFilter, 'Restricts which cards may be sources; every card by default.'),
  options: nullable(SearchOptions, 'Search options.'),
  profile: nullable(
    String,
    'The search profile: defaults for omitted options. By default the one set by SEARCH_PROFILE.',
  ),
} satisfies InputFields;

/** What a context is asked for. */
export const TutoringArgs = argsType(QUESTION);

export const TutorInput = inputType('TutorInput', 'A question to a tutor. Give either text or cardId.', QUESTION);
