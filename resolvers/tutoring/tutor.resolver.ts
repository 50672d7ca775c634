import { Arg, createUnionType, Field, Int, ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import { fieldsBelow } from '../../src/domain/parse/parse.js';
import {
  type ContextSource as DomainContextSource,
  type TutorEvent as DomainTutorEvent,
  type TutoringContext as DomainTutoringContext,
  type Refusal,
} from '../../src/domain/tutoring.js';
import { noteSearch } from '../../src/http/log.js';
import { type ErrorCode, ErrorCodeEnum, errorCodeOf } from '../error-code.enum.js';
import type { StreamContext } from '../events/event-sources.js';
import { graphqlEnum } from '../graphql-enum.js';
import { TutoringArgs } from './tutoring.input.js';
import { ContextSource, TutoringContext } from './tutoring.type.js';

const RefusalEnum = graphqlEnum<Refusal>('Refusal', 'Why a tutor refuses to answer.', {
  NO_EVIDENCE: 'There is no source; no model was called.',
  INSUFFICIENT: 'The sources do not suffice, according to the model.',
  LEAK: 'Every hint of the model revealed the answer.',
});

@ObjectType({ description: 'The first event: the context of the answer.', simpleResolvers: true })
export class TutorContextEvent {
  @Field(() => TutoringContext, { description: 'The evidence.' })
  context!: DomainTutoringContext;
}

@ObjectType({ description: 'A part of the text of the answer.', simpleResolvers: true })
export class TutorDelta {
  @Field(() => String, {
    description: 'Text in Markdown. Labels of sources are in brackets, [S1]; each is a label of the context.',
  })
  text!: string;
}

@ObjectType({ description: 'A source that the preceding text cites.', simpleResolvers: true })
export class TutorCitation {
  @Field(() => ContextSource, { description: 'The source, with its card.' })
  source!: DomainContextSource;
}

@ObjectType({ description: 'The last event of an answer.', simpleResolvers: true })
export class TutorDone {
  @Field(() => Boolean, {
    description:
      'Whether the answer is complete; false if it was cut off at its maximum length, or by a content filter.',
  })
  isWhole!: boolean;

  @Field(() => Int, { description: 'Number of tokens of the prompt, counted as in budgetTokens.' })
  promptTokens!: number;

  @Field(() => Int, { description: 'Number of tokens of the answer, counted in the same way.' })
  answerTokens!: number;

  @Field(() => [String], { description: 'The labels of the cited sources, each once.' })
  cited!: string[];

  @Field(() => Int, { description: 'Number of citations that were removed because the context has no such source.' })
  droppedCitations!: number;

  @Field(() => Boolean, {
    description: 'Whether the first hint revealed the answer, so that the model was asked again.',
  })
  wasAskedAgain!: boolean;
}

@ObjectType({ description: 'The last event if the tutor refuses to answer.', simpleResolvers: true })
export class TutorRefused {
  @Field(() => RefusalEnum, { description: 'Why.' })
  refusal!: Refusal;

  @Field(() => String, { description: 'The reason in a sentence, or what is missing according to the model.' })
  reason!: string;
}

@ObjectType({
  description: 'The last event if the answer failed or broke off.',
  simpleResolvers: true,
})
export class TutorFailed {
  @Field(() => String, {
    description: 'The error code, such as UNAVAILABLE.',
    deprecationReason: 'Use `errorCode`. Deprecated on 2026-11-23.',
  })
  code!: string;

  @Field(() => ErrorCodeEnum, { description: 'The error code.', simple: false })
  errorCode(@Root() { code }: TutorFailed): ErrorCode {
    return errorCodeOf(code);
  }

  @Field(() => String, { description: 'What is wrong.' })
  message!: string;
}

export const TutorEvent = createUnionType({
  name: 'TutorEvent',
  description:
    'The events of an answer: the context, parts of the text and citations, then one of TutorDone, TutorRefused and TutorFailed.',
  types: () => [TutorContextEvent, TutorDelta, TutorCitation, TutorDone, TutorRefused, TutorFailed] as const,
  resolveType: (event: object) => TYPES[(event as DomainTutorEvent).kind],
});

const TYPES = {
  context: TutorContextEvent,
  delta: TutorDelta,
  citation: TutorCitation,
  done: TutorDone,
  refused: TutorRefused,
  failed: TutorFailed,
} as const satisfies Record<DomainTutorEvent['kind'], unknown>;

interface Asked {
  readonly args: { readonly input: TutoringArgs };
  readonly context: StreamContext;
}

/** Waits for the first event, so that an answer that cannot begin is an error of the operation, with its code. */
async function answers({ args, context }: Asked): Promise<AsyncIterable<DomainTutorEvent>> {
  const { viewer, searchSignal, signal, facts, sources } = context;
  const events = sources.tutor.answer(viewer, { ...args.input }, { searchSignal, signal }, (...searched) =>
    noteSearch(facts, ...searched),
  );
  const first = await events.next().catch(fieldsBelow('input'));
  return resumed(first, events);
}

async function* resumed<T>(first: IteratorResult<T, void>, rest: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  try {
    if (first.done) return;
    yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/** Answers of a chat model, as they come. */
@Resolver()
export class TutorResolver {
  @Subscription(() => TutorEvent, {
    subscribe: answers,
    description: "An answer of the gateway's chat model, based on the sources of a context.",
  })
  tutor(
    @Root() event: DomainTutorEvent,
    @Arg('input', () => TutoringArgs, { description: 'The question.' }) _input: TutoringArgs,
  ): DomainTutorEvent {
    return event;
  }
}
