import { Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { IndexControl, IndexStatus as Status } from '../../src/domain/ports/gateway.js';
import type { Context } from '../context.js';
import { IndexStatus } from './index-status.type.js';

@Resolver()
export class IndexResolver {
  constructor(private readonly control: Pick<IndexControl, 'status' | 'rebuild'>) {}

  @Query(() => IndexStatus, { description: 'The state of the search index.' })
  indexStatus(@Ctx() context: Context): Promise<Status> {
    return this.control.status(context.viewer);
  }

  @Mutation(() => IndexStatus, {
    description:
      'Starts to rebuild the search index from the cards. Searches use the live index until the new one is complete; indexStatus shows the progress.',
  })
  async rebuildIndex(@Ctx() context: Context): Promise<Status> {
    await this.control.rebuild(context.viewer);
    return this.control.status(context.viewer);
  }
}
