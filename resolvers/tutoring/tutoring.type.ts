import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import type { Card } from '../../src/domain/card.js';
import type { Degradation as DomainDegradation, Verdict } from '../../src/domain/search-result.js';
import type {
  ContextSource as DomainContextSource,
  ErrorHypothesis as DomainErrorHypothesis,
  TextSpan as DomainTextSpan,
  EvidenceVerdict,
  SourceText,
  TutoringMode,
} from '../../src/domain/tutoring.js';
import { MistakeCard } from '../cards/card.type.js';
import { VerdictEnum } from '../enums.js';
import { Degradation } from '../search/search.type.js';
import { EvidenceVerdictEnum, LanguageEnum, SourceTextEnum, TutoringModeEnum } from './tutoring.enums.js';

@ObjectType({ description: 'A part of a field of a card that a source quotes.', simpleResolvers: true })
export class TextSpan {
  @Field(() => SourceTextEnum, { description: 'The kind of the quoted text.' })
  type!: SourceText;

  @Field(() => String, { description: 'The field of the card.' })
  field!: string;

  @Field(() => Int, {
    description: 'Its start: an offset in UTF-16 units of a text, or in a list of labels the index of the first one.',
  })
  start!: number;

  @Field(() => Int, { description: 'Its end (exclusive), in the same units as start.' })
  end!: number;
}

@ObjectType({ description: 'A card of a context, with the parts that the prompt quotes.', simpleResolvers: true })
export class ContextSource {
  @Field(() => String, { description: 'S1, S2, ...: the label of the source in the prompt and in citations.' })
  label!: string;

  @Field(() => ID, {
    description:
      'Identifies the quoted parts and the revision of the card: the same quotation has the same id in every context.',
  })
  id!: string;

  @Field(() => MistakeCard, { description: 'The card; its source and occurredAt say where the text is from.' })
  card!: Card;

  @Field(() => [TextSpan], { description: 'The quoted parts. Sentences that another source quotes are omitted.' })
  spans!: DomainTextSpan[];

  @Field(() => String, { description: 'The quoted text with the names of its parts, at most 350 tokens.' })
  text!: string;

  @Field(() => Float, { description: 'The score of the search, from 0 to 1; 1 for the card that was asked about.' })
  relevance!: number;

  @Field(() => VerdictEnum, { description: 'How the card is related; DUPLICATE for the card that was asked about.' })
  verdict!: Verdict;
}

@ObjectType({ description: 'An error that the student may have made.', simpleResolvers: true })
export class ErrorHypothesis {
  @Field(() => String, { description: 'The error type as cards carry it.' })
  errorType!: string;

  @Field(() => Float, {
    description: 'Its posterior in the label model, from 0 to 1; 1 for an error type of the given card.',
  })
  posterior!: number;

  @Field(() => Int, { description: 'How many of the found cards carry it.' })
  votes!: number;

  @Field(() => [MistakeCard], { description: 'At most 3 cards with this error, the most similar first.' })
  cards!: Card[];
}

@ObjectType({ description: 'Evidence for a tutor, and a prompt made of it.', simpleResolvers: true })
export class TutoringContext {
  @Field(() => TutoringModeEnum, { description: 'The task of the tutor.' })
  mode!: TutoringMode;

  @Field(() => LanguageEnum, { description: 'The language of the prompt.' })
  language!: 'en' | 'zh';

  @Field(() => EvidenceVerdictEnum, { description: 'Whether the sources contain an answer.' })
  verdict!: EvidenceVerdict;

  @Field(() => String, { description: 'Why, in one sentence.' })
  reason!: string;

  @Field(() => String, { description: 'The question: the text, or the question of the card.' })
  question!: string;

  @Field(() => String, {
    description:
      'Role, rules, task, sources and question in Markdown, ready for a chat model. Texts of cards are in code blocks that their content cannot close.',
  })
  prompt!: string;

  @Field(() => Int, { description: 'Number of tokens of the prompt: at most budgetTokens.' })
  tokens!: number;

  @Field(() => [ContextSource], { description: 'The sources in the order of the prompt, at most 10.' })
  sources!: DomainContextSource[];

  @Field(() => [ErrorHypothesis], { description: 'The likely errors, the most likely first, at most 5.' })
  hypotheses!: DomainErrorHypothesis[];

  @Field(() => [String], {
    description:
      'Few-shot examples for prompts of other systems: question, wrong solution, reference solution, errors; at most 3, each of at most 350 tokens.',
  })
  formattedExamples!: string[];

  @Field(() => [Degradation], { description: 'What went wrong in the searches; empty if nothing did.' })
  degraded!: DomainDegradation[];
}
