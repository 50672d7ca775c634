import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { ContextBuilder } from '../../src/domain/ports/tutoring.js';
import type { TutoringContext as Evidence } from '../../src/domain/tutoring.js';
import { noteSearch } from '../../src/http/log.js';
import type { Context } from '../context.js';
import { TutoringArgs } from './tutoring.input.js';
import { TutoringContext } from './tutoring.type.js';

/** Evidence for tutors. */
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
  ): Promise<Evidence> {
    return this.contexts.context(viewer, { ...args }, searchSignal, (...searched) => noteSearch(facts, ...searched));
  }
}
