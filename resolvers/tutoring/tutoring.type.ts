import { Float, ID, Int } from 'type-graphql';
import { DEFAULT_BUDGET } from '../../src/domain/parse/tutoring.js';
import type * as domain from '../../src/domain/tutoring.js';
import { MistakeCard } from '../cards/card.type.js';
import { CardFilter } from '../cards/card-filter.input.js';
import { LanguageEnum, VerdictEnum } from '../enums.js';
import { SearchOptions } from '../search/search.input.js';
import { Degradation } from '../search/search.type.js';
import { argsType, field, graphqlEnum, type InputFields, inputType, nullable, outputType } from '../types.js';

const TutoringModeEnum = graphqlEnum<domain.TutoringMode>('TutoringMode', 'The task of a tutor.', {
  HINT_1: 'Name the idea or the step to reconsider.',
  HINT_2: 'Name the method and how to begin.',
  HINT_3: 'Lead up to the last step, without the answer.',
  DIAGNOSE: 'Find the error and its reason.',
  EXPLAIN: 'Explain the error and the right way, with the answer.',
  QUIZ: 'Ask a new question that trains the same idea.',
});

const EvidenceVerdictEnum = graphqlEnum<domain.EvidenceVerdict>(
  'EvidenceVerdict',
  'Whether the found cards contain an answer.',
  {
    ENOUGH:
      'There is a reference solution of the same question, or two closely related cards (by verdict or relevance), or one very close card.',
    THIN: 'There are sources, but too few closely related ones.',
    NONE: 'There is no source, because the search finds nothing.',
  },
);

const SourceTextEnum = graphqlEnum<domain.SourceText>('SourceText', 'The texts of a card that a source quotes.', {
  QUESTION: 'The question.',
  WRONG_SOLUTION: "The student's wrong solution.",
  REFERENCE_SOLUTION: 'The reference solution.',
  TOPIC_TAG: 'Topic tags.',
  ERROR_TYPE: 'Error types.',
});

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

export const TutoringArgs = argsType(QUESTION);

export const TutorInput = inputType('TutorInput', 'A question to a tutor. Give either text or cardId.', QUESTION);

const TextSpan = outputType<domain.TextSpan>('TextSpan', 'A part of a field of a card that a source quotes.', {
  type: field(SourceTextEnum, 'The kind of the quoted text.'),
  field: field(String, 'The field of the card.'),
  start: field(
    Int,
    'Its start: an offset in UTF-16 units of a text, or in a list of labels the index of the first one.',
  ),
  end: field(Int, 'Its end (exclusive), in the same units as start.'),
});

export const ContextSource = outputType<domain.ContextSource>(
  'ContextSource',
  'A card of a context, with the parts that the prompt quotes.',
  {
    label: field(String, 'S1, S2, ...: the label of the source in the prompt and in citations.'),
    id: field(
      ID,
      'Identifies the quoted parts and the revision of the card: the same quotation has the same id in every context, where its label and relevance may differ.',
    ),
    card: field(MistakeCard, 'The card; its source and occurredAt say where the text is from.'),
    spans: field([TextSpan], 'The quoted parts. Sentences that another source quotes are omitted.'),
    text: field(String, 'The quoted text with the names of its parts, at most 350 tokens.'),
    relevance: field(Float, 'The score of the search, from 0 to 1; 1 for the card that was asked about.'),
    verdict: field(VerdictEnum, 'How the card is related; DUPLICATE for the card that was asked about.'),
    revealsAnswer: field(
      Boolean,
      'Whether its reference solution contains the answer to the question, as far as the reference solutions of the card that was asked about and of sources with the same question tell: do not show it in a hint.',
    ),
  },
);

const ErrorHypothesis = outputType<domain.ErrorHypothesis>(
  'ErrorHypothesis',
  'An error that the student may have made.',
  {
    errorType: field(String, 'The error type as cards carry it.'),
    posterior: field(Float, 'Its posterior in the label model, from 0 to 1; 1 for an error type of the given card.'),
    votes: field(Int, 'How many of the found cards carry it.'),
    cards: field([MistakeCard], 'At most 3 cards with this error, the most similar first.'),
  },
);

export const TutoringContext = outputType<domain.TutoringContext, 'rules' | 'material' | 'card'>(
  'TutoringContext',
  'Evidence for a tutor, and a prompt made of it.',
  {
    mode: field(TutoringModeEnum, 'The task of the tutor.'),
    language: field(LanguageEnum, 'The language of the prompt.'),
    verdict: field(EvidenceVerdictEnum, 'Whether the sources contain an answer.'),
    reason: field(String, 'Why, in one sentence.'),
    question: field(String, 'The question: the text, or the question of the card.'),
    prompt: field(
      String,
      'Role, rules, task, sources and question in Markdown, ready for a chat model. Texts of cards are in code blocks that their content cannot close.',
    ),
    tokens: field(Int, 'Number of tokens of the prompt: at most budgetTokens.'),
    sources: field([ContextSource], 'The sources in the order of the prompt, at most 10.'),
    hypotheses: field([ErrorHypothesis], 'The likely errors, the most likely first, at most 5.'),
    formattedExamples: field(
      [String],
      'Few-shot examples for prompts of other systems: question, wrong solution, reference solution, errors; at most 3, each of at most 350 tokens.',
    ),
    degraded: field([Degradation], 'What went wrong in the searches; empty if nothing did.'),
  },
);
