import { Ctx, Mutation, Query, Resolver, UseMiddleware } from 'type-graphql';
import type { IndexControl, IndexStatus as Status } from '../src/domain/ports/gateway.js';
import type { Context } from './context.js';
import { withinDeadline } from './deadline.js';
import { IndexStatus } from './index-status.type.js';

/** The state of the search index, and building it anew. */
@Resolver()
@UseMiddleware(withinDeadline)
export class IndexResolver {
  constructor(private readonly control: Pick<IndexControl, 'status' | 'rebuild'>) {}

  @Query(() => IndexStatus, { description: 'How far the search index is behind the cards.' })
  indexStatus(@Ctx() context: Context): Promise<Status> {
    return this.control.status(context.viewer);
  }

  @Mutation(() => IndexStatus, {
    description:
      'Begins to build the search index anew from the cards. Searches go on with the old one until the new one is complete; indexStatus tells how far it is.',
  })
  async rebuildIndex(@Ctx() context: Context): Promise<Status> {
    await this.control.rebuild(context.viewer);
    return this.control.status(context.viewer);
  }
}
