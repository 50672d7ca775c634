import type { Language } from '../../src/domain/language.js';
import { type EvidenceVerdict, type SourceText, type TutoringMode } from '../../src/domain/tutoring.js';
import { graphqlEnum } from '../types.js';

export const LanguageEnum = graphqlEnum<Language>('Language', 'A language.', {
  en: 'English.',
  zh: 'Chinese.',
});

export const TutoringModeEnum = graphqlEnum<TutoringMode>('TutoringMode', 'The task of a tutor.', {
  HINT_1: 'Name the idea or the step to reconsider.',
  HINT_2: 'Name the method and how to begin.',
  HINT_3: 'Lead up to the last step, without the answer.',
  DIAGNOSE: 'Find the error and its reason.',
  EXPLAIN: 'Explain the error and the right way, with the answer.',
  QUIZ: 'Ask a new question that trains the same idea.',
});

export const EvidenceVerdictEnum = graphqlEnum<EvidenceVerdict>(
  'EvidenceVerdict',
  'Whether the found cards contain an answer.',
  {
    ENOUGH:
      'There is a reference solution of the same question, or two closely related cards (by verdict or relevance), or one very close card.',
    THIN: 'There are sources, but too few closely related ones.',
    NONE: 'There is no source, because the search finds nothing.',
  },
);

export const SourceTextEnum = graphqlEnum<SourceText>('SourceText', 'The texts of a card that a source quotes.', {
  QUESTION: 'The question.',
  WRONG_SOLUTION: "The student's wrong solution.",
  REFERENCE_SOLUTION: 'The reference solution.',
  TOPIC_TAG: 'Topic tags.',
  ERROR_TYPE: 'Error types.',
});
