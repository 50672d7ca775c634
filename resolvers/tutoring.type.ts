import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import type { Card } from '../src/domain/card.js';
import type { Degradation as DomainDegradation, Verdict } from '../src/domain/search-result.js';
import type {
  ContextSource as DomainContextSource,
  ErrorHypothesis as DomainErrorHypothesis,
  TextSpan as DomainTextSpan,
  EvidenceVerdict,
  SourceText,
  TutoringMode,
} from '../src/domain/tutoring.js';
import { MistakeCard } from './card.type.js';
import { VerdictEnum } from './enums.js';
import { Degradation } from './search.type.js';
import { EvidenceVerdictEnum, LanguageEnum, SourceTextEnum, TutoringModeEnum } from './tutoring.enums.js';

@ObjectType({ description: 'A part of a field of a card that a source quotes.', simpleResolvers: true })
export class TextSpan {
  @Field(() => SourceTextEnum, { description: 'What is quoted.' })
  type!: SourceText;

  @Field(() => String, { description: 'The field of the card.' })
  field!: string;

  @Field(() => Int, {
    description: 'Where it begins: UTF-16 units of a text; of a list of labels, the place of the first one.',
  })
  start!: number;

  @Field(() => Int, { description: 'Where it ends: the first unit, or label, that is not quoted.' })
  end!: number;
}

@ObjectType({ description: 'A card of a context, as far as the prompt quotes it.', simpleResolvers: true })
export class ContextSource {
  @Field(() => String, { description: 'S1, S2, ...: as the prompt names it, and as an answer cites it.' })
  label!: string;

  @Field(() => ID, { description: 'The same wherever the same parts of the same revision of a card are quoted.' })
  id!: string;

  @Field(() => MistakeCard, { description: 'The card; its source and occurredAt say where the text is from.' })
  card!: Card;

  @Field(() => [TextSpan], { description: 'What is quoted of it. Sentences that another source quotes are left out.' })
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
    description:
      'How likely it is by the label model, from 0 to 1; 1 for an error type of the card that was asked about.',
  })
  posterior!: number;

  @Field(() => Int, { description: 'How many of the cards that were found carry it.' })
  votes!: number;

  @Field(() => [MistakeCard], { description: 'At most 3 of them, the most alike first.' })
  cards!: Card[];
}

@ObjectType({ description: 'Evidence for a tutor, and a prompt made of it.', simpleResolvers: true })
export class TutoringContext {
  @Field(() => TutoringModeEnum, { description: 'What the tutor is to do.' })
  mode!: TutoringMode;

  @Field(() => LanguageEnum, { description: 'The language of the prompt.' })
  language!: 'en' | 'zh';

  @Field(() => EvidenceVerdictEnum, { description: 'Whether the sources carry an answer.' })
  verdict!: EvidenceVerdict;

  @Field(() => String, { description: 'Why, in one sentence.' })
  reason!: string;

  @Field(() => String, { description: 'What is asked: the text, or the question of the card.' })
  question!: string;

  @Field(() => String, {
    description:
      'Role, rules, task, sources and question in Markdown, ready for a chat model. Texts of cards stand in code blocks that nothing in them can close.',
  })
  prompt!: string;

  @Field(() => Int, { description: 'The tokens of the prompt: at most budgetTokens.' })
  tokens!: number;

  @Field(() => [ContextSource], { description: 'The sources in the order of the prompt, at most 10.' })
  sources!: DomainContextSource[];

  @Field(() => [ErrorHypothesis], { description: 'The errors that are likely, the likeliest first, at most 5.' })
  hypotheses!: DomainErrorHypothesis[];

  @Field(() => [String], {
    description:
      'Few-shot examples for prompts of other systems: question, wrong solution, reference solution, errors; at most 3, each of at most 350 tokens.',
  })
  formattedExamples!: string[];

  @Field(() => [Degradation], { description: 'What went wrong in the searches; empty when all went as planned.' })
  degraded!: DomainDegradation[];
}
