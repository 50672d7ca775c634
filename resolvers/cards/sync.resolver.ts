import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { parsePage } from '../../src/domain/parse/page.js';
import type { SyncChange, SyncFeed } from '../../src/domain/ports/sync.js';
import type { Connection } from '../connection.js';
import { pageFields } from '../connection.js';
import type { Context } from '../context.js';
import { argsType } from '../types.js';
import { CardChangeConnection, cardChangeConnection } from './sync.type.js';

const ChangesArgs = argsType(
  pageFields(
    100,
    'The endCursor of the previous page, however long ago. CURSOR_EXPIRED if the copy must be rebuilt without a cursor: after a change of role, or after the database was restored from a backup.',
  ),
);

@Resolver()
export class SyncResolver {
  constructor(private readonly feed: SyncFeed) {}

  @Query(() => CardChangeConnection, {
    description:
      'The cards that were created, changed and deleted since a cursor, or without a cursor every card; for keeping a copy up to date. Of several changes to a card only the last is returned.',
  })
  async changes(
    @Args(() => ChangesArgs) args: InstanceType<typeof ChangesArgs>,
    @Ctx() { viewer, signal }: Context,
  ): Promise<Connection<SyncChange>> {
    const request = parsePage(args);
    return cardChangeConnection(await this.feed.changes(viewer, request, signal), request);
  }
}
