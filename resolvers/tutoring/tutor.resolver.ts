import { Arg, Resolver, Root, Subscription } from 'type-graphql';
import type { TutorEvent as DomainTutorEvent } from '../../src/domain/tutoring.js';
import { noteSearch } from '../../src/http/log.js';
import type { StreamContext } from '../events/event-sources.js';
import { TutorEvent } from './tutor.type.js';
import { TutoringArgs } from './tutoring.input.js';

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
  const first = await events.next();
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
