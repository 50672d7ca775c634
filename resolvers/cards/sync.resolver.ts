import { GraphQLDateTime } from 'graphql-scalars';
import { Args, Ctx, ID, Int, Query, Resolver } from 'type-graphql';
import { parsePage } from '../../src/domain/parse/page.js';
import type { SyncChange, SyncChangeKind, SyncFeed } from '../../src/domain/ports/sync.js';
import { type Connection, connectionOf, connectionType, pageFields } from '../connection.js';
import type { Context } from '../context.js';
import { argsType, field, graphqlEnum, nullable, outputType } from '../types.js';
import { MistakeCard } from './card.type.js';

const SyncChangeKindEnum = graphqlEnum<SyncChangeKind>(
  'CardChangeKind',
  'What a change means for a copy of the cards.',
  {
    SAVED: 'The card was created or changed.',
    REMOVED: 'The card was deleted, or you may no longer see it.',
    UNMATCHED: 'The card does not match the filter of the subscription any more, or never did.',
  },
);

export const CardChange = outputType<SyncChange>(
  'CardChange',
  'A card that was created or changed, or the deletion of one.',
  {
    cardId: field(ID, 'The id of the card.'),
    kind: field(SyncChangeKindEnum, 'What the change means for a copy of the cards.'),
    card: nullable(
      MistakeCard,
      'The card as it is now; null if it was deleted, you may no longer see it, or it does not match.',
    ),
    mergedInto: nullable(ID, 'For a deleted card that was merged: the card that it was merged into.'),
    revision: field(Int, 'The revision of the card; for a deleted card, the last one.'),
    changedAt: field(GraphQLDateTime, 'When the change was made.'),
  },
);

const CardChangeConnection = connectionType('CardChange', CardChange, {
  description: 'A page of the sync feed, as a Relay connection.',
  one: 'change',
  many: 'changes',
  edge: 'A change and its place in the feed.',
  cursor: 'The position right after this change.',
  pageInfo: 'Position of the page in the feed. An empty page has an endCursor too: store it and continue from there.',
});

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
    const page = await this.feed.changes(viewer, request, signal);
    const connection = connectionOf(page, request);
    // Not that of the last edge: an empty page has one too.
    return { ...connection, pageInfo: { ...connection.pageInfo, endCursor: page.endCursor } };
  }
}
