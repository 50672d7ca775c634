import { createUnionType, Field, Int, ObjectType, Root } from 'type-graphql';
import {
  type ContextSource as DomainContextSource,
  type TutorEvent as DomainTutorEvent,
  type TutoringContext as DomainTutoringContext,
  type Refusal,
} from '../src/domain/tutoring.js';
import { type ErrorCode, ErrorCodeEnum, errorCodeOf } from './error-code.enum.js';
import { graphqlEnum } from './graphql-enum.js';
import { ContextSource, TutoringContext } from './tutoring.type.js';

export const RefusalEnum = graphqlEnum<Refusal>('Refusal', 'Why a tutor does not answer.', {
  NO_EVIDENCE: 'There is no source to stand on; no model was asked.',
  INSUFFICIENT: 'The model says that the sources do not suffice.',
  LEAK: 'Each of the hints that the model wrote gives the answer away.',
});

@ObjectType({ description: 'The first event: what the answer stands on.', simpleResolvers: true })
export class TutorContextEvent {
  @Field(() => TutoringContext, { description: 'The evidence.' })
  context!: DomainTutoringContext;
}

@ObjectType({ description: 'A piece of the answer.', simpleResolvers: true })
export class TutorDelta {
  @Field(() => String, {
    description:
      'Text in Markdown. Labels of sources are in brackets, [S1]; there is none that the context does not have.',
  })
  text!: string;
}

@ObjectType({ description: 'A source that the piece before it cites.', simpleResolvers: true })
export class TutorCitation {
  @Field(() => ContextSource, { description: 'The source, with its card.' })
  source!: DomainContextSource;
}

@ObjectType({ description: 'The last event of an answer.', simpleResolvers: true })
export class TutorDone {
  @Field(() => Boolean, { description: 'Whether the answer ended by itself, and not because it was too long.' })
  isWhole!: boolean;

  @Field(() => Int, { description: 'The tokens of the prompt, as the budget counts them.' })
  promptTokens!: number;

  @Field(() => Int, { description: 'The tokens of the answer, counted in the same way.' })
  answerTokens!: number;

  @Field(() => [String], { description: 'The labels that the answer cites, each once.' })
  cited!: string[];

  @Field(() => Int, { description: 'How many citations were taken out because the context has no such source.' })
  droppedCitations!: number;

  @Field(() => Boolean, { description: 'Whether a first hint gave the answer away, and the model was asked again.' })
  wasAskedAgain!: boolean;
}

@ObjectType({ description: 'The last event where the tutor does not answer.', simpleResolvers: true })
export class TutorRefused {
  @Field(() => RefusalEnum, { description: 'Why.' })
  refusal!: Refusal;

  @Field(() => String, { description: 'The reason in a sentence, or what the model says is missing.' })
  reason!: string;
}

@ObjectType({
  description: 'The last event where the answer cannot be had, or cannot be had to its end.',
  simpleResolvers: true,
})
export class TutorFailed {
  @Field(() => String, {
    description: 'A code as errors have it, such as UNAVAILABLE.',
    deprecationReason: 'Use `errorCode`. Deprecated on 2026-11-23.',
  })
  code!: string;

  @Field(() => ErrorCodeEnum, { description: 'A code as errors have it.', simple: false })
  errorCode(@Root() { code }: TutorFailed): ErrorCode {
    return errorCodeOf(code);
  }

  @Field(() => String, { description: 'What is wrong.' })
  message!: string;
}

export const TutorEvent = createUnionType({
  name: 'TutorEvent',
  description:
    'What a tutor answers: the context, pieces of text and citations, then one of TutorDone, TutorRefused, TutorFailed.',
  types: () => [TutorContextEvent, TutorDelta, TutorCitation, TutorDone, TutorRefused, TutorFailed] as const,
  resolveType: (event: object) => TYPES[(event as ShownEvent).kind],
});

const TYPES = {
  context: TutorContextEvent,
  delta: TutorDelta,
  citation: TutorCitation,
  done: TutorDone,
  refused: TutorRefused,
  failed: TutorFailed,
} as const satisfies Record<DomainTutorEvent['kind'], unknown>;

/** An event as the union shows it: what became of an answer stands in it by itself. */
export type ShownEvent = Exclude<DomainTutorEvent, { kind: 'done' }> | ({ readonly kind: 'done' } & Summary);

type Summary = Extract<DomainTutorEvent, { kind: 'done' }>['summary'];

export function shownEvent(event: DomainTutorEvent): ShownEvent {
  return event.kind === 'done' ? { kind: 'done', ...event.summary } : event;
}
