import { Float, ID, Int } from 'type-graphql';
import type * as domain from '../../src/domain/tutoring.js';
import { MistakeCard } from '../cards/card.type.js';
import { VerdictEnum } from '../enums.js';
import { Degradation } from '../search/search.type.js';
import { outputType } from '../types.js';
import { EvidenceVerdictEnum, LanguageEnum, SourceTextEnum, TutoringModeEnum } from './tutoring.enums.js';

const TextSpan = outputType<domain.TextSpan>('TextSpan', 'A part of a field of a card that a source quotes.', {
  type: { type: SourceTextEnum, description: 'The kind of the quoted text.' },
  field: { type: String, description: 'The field of the card.' },
  start: {
    type: Int,
    description: 'Its start: an offset in UTF-16 units of a text, or in a list of labels the index of the first one.',
  },
  end: { type: Int, description: 'Its end (exclusive), in the same units as start.' },
});

export const ContextSource = outputType<domain.ContextSource>(
  'ContextSource',
  'A card of a context, with the parts that the prompt quotes.',
  {
    label: { type: String, description: 'S1, S2, ...: the label of the source in the prompt and in citations.' },
    id: {
      type: ID,
      description:
        'Identifies the quoted parts and the revision of the card: the same quotation has the same id in every context.',
    },
    card: { type: MistakeCard, description: 'The card; its source and occurredAt say where the text is from.' },
    spans: { type: [TextSpan], description: 'The quoted parts. Sentences that another source quotes are omitted.' },
    text: { type: String, description: 'The quoted text with the names of its parts, at most 350 tokens.' },
    relevance: {
      type: Float,
      description: 'The score of the search, from 0 to 1; 1 for the card that was asked about.',
    },
    verdict: {
      type: VerdictEnum,
      description: 'How the card is related; DUPLICATE for the card that was asked about.',
    },
  },
);

const ErrorHypothesis = outputType<domain.ErrorHypothesis>(
  'ErrorHypothesis',
  'An error that the student may have made.',
  {
    errorType: { type: String, description: 'The error type as cards carry it.' },
    posterior: {
      type: Float,
      description: 'Its posterior in the label model, from 0 to 1; 1 for an error type of the given card.',
    },
    votes: { type: Int, description: 'How many of the found cards carry it.' },
    cards: { type: [MistakeCard], description: 'At most 3 cards with this error, the most similar first.' },
  },
);

export const TutoringContext = outputType<domain.TutoringContext, 'rules' | 'material' | 'card'>(
  'TutoringContext',
  'Evidence for a tutor, and a prompt made of it.',
  {
    mode: { type: TutoringModeEnum, description: 'The task of the tutor.' },
    language: { type: LanguageEnum, description: 'The language of the prompt.' },
    verdict: { type: EvidenceVerdictEnum, description: 'Whether the sources contain an answer.' },
    reason: { type: String, description: 'Why, in one sentence.' },
    question: { type: String, description: 'The question: the text, or the question of the card.' },
    prompt: {
      type: String,
      description:
        'Role, rules, task, sources and question in Markdown, ready for a chat model. Texts of cards are in code blocks that their content cannot close.',
    },
    tokens: { type: Int, description: 'Number of tokens of the prompt: at most budgetTokens.' },
    sources: { type: [ContextSource], description: 'The sources in the order of the prompt, at most 10.' },
    hypotheses: { type: [ErrorHypothesis], description: 'The likely errors, the most likely first, at most 5.' },
    formattedExamples: {
      type: [String],
      description:
        'Few-shot examples for prompts of other systems: question, wrong solution, reference solution, errors; at most 3, each of at most 350 tokens.',
    },
    degraded: { type: [Degradation], description: 'What went wrong in the searches; empty if nothing did.' },
  },
);
