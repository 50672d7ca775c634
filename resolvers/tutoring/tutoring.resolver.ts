import { Arg, Args, Ctx, createUnionType, Int, Query, Resolver, Root, Subscription } from 'type-graphql';
import { resumed } from '../../src/domain/async.js';
import { fieldsBelow } from '../../src/domain/parse/parse.js';
import type { ContextBuilder } from '../../src/domain/ports/tutoring.js';
import type {
  TutorEvent as DomainTutorEvent,
  TutoringContext as DomainTutoringContext,
  Refusal,
} from '../../src/domain/tutoring.js';
import { noteSearch } from '../../src/http/log.js';
import type { Context, StreamContext } from '../context.js';
import { ErrorCodeEnum, errorCodeOf } from '../enums.js';
import { computed, deprecated, field, graphqlEnum, outputType } from '../types.js';
import { ContextSource, TutorInput, TutoringArgs, TutoringContext } from './tutoring.type.js';

const RefusalEnum = graphqlEnum<Refusal>('Refusal', 'Why a tutor refuses to answer.', {
  NO_EVIDENCE: 'There is no source; no model was called.',
  INSUFFICIENT: 'The sources do not suffice, according to the model.',
  LEAK: 'Every hint of the model revealed the answer.',
});

type TutorEventOf<Kind> = Extract<DomainTutorEvent, { readonly kind: Kind }>;

const TutorContextEvent = outputType<TutorEventOf<'context'>, 'kind'>(
  'TutorContextEvent',
  'The first event: the context of the answer.',
  {
    context: field(TutoringContext, 'The evidence.'),
  },
);

const TutorDelta = outputType<TutorEventOf<'delta'>, 'kind'>('TutorDelta', 'A part of the text of the answer.', {
  text: field(String, 'Text in Markdown. Labels of sources are in brackets, [S1]; each is a label of the context.'),
});

const TutorCitation = outputType<TutorEventOf<'citation'>, 'kind'>(
  'TutorCitation',
  'A source that the preceding text cites.',
  {
    source: field(ContextSource, 'The source, with its card.'),
  },
);

const TutorDone = outputType<TutorEventOf<'done'>, 'kind'>('TutorDone', 'The last event of an answer.', {
  isWhole: field(
    Boolean,
    'Whether the answer is complete; false if it was cut off at its maximum length, or by a content filter.',
  ),
  promptTokens: field(Int, 'Number of tokens of the prompt, counted as in budgetTokens.'),
  answerTokens: field(Int, 'Number of tokens of the answer, counted in the same way.'),
  cited: field([String], 'The labels of the cited sources, each once.'),
  droppedCitations: field(Int, 'Number of citations that were removed because the context has no such source.'),
  wasAskedAgain: field(Boolean, 'Whether the first hint revealed the answer, so that the model was asked again.'),
});

const TutorRefused = outputType<TutorEventOf<'refused'>, 'kind'>(
  'TutorRefused',
  'The last event if the tutor refuses to answer.',
  {
    refusal: field(RefusalEnum, 'Why.'),
    reason: field(String, 'The reason in a sentence, or what is missing according to the model.'),
  },
);

const TutorFailed = outputType<TutorEventOf<'failed'>, 'kind'>(
  'TutorFailed',
  'The last event if the answer failed or broke off.',
  {
    code: field(String, 'The error code, such as UNAVAILABLE.', deprecated('`errorCode`')),
    message: field(String, 'What is wrong.'),
  },
  {
    errorCode: computed(ErrorCodeEnum, 'The error code.', ({ code }) => errorCodeOf(code)),
  },
);

const TutorEvent = createUnionType({
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
  readonly args: { readonly input: object };
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

/** Evidence for tutors, and the answers of a chat model that are based on it. */
@Resolver()
export class TutoringResolver {
  constructor(private readonly contexts: ContextBuilder) {}

  @Query(() => TutoringContext, {
    description:
      'Evidence for a tutor, assembled without a language model: the same cards and arguments give the same context.',
  })
  tutoringContext(
    @Args(() => TutoringArgs) args: object,
    @Ctx() { viewer, searchSignal, facts }: Context,
  ): Promise<DomainTutoringContext> {
    return this.contexts.context(viewer, { ...args }, searchSignal, (...searched) => noteSearch(facts, ...searched));
  }

  @Subscription(() => TutorEvent, {
    subscribe: answers,
    description: "An answer of the gateway's chat model, based on the sources of a context.",
  })
  tutor(
    @Root() event: DomainTutorEvent,
    @Arg('input', () => TutorInput, { description: 'The question.' }) _input: object,
  ): DomainTutorEvent {
    return event;
  }
}
