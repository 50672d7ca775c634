import { GraphQLDateTime } from 'graphql-scalars';
import { Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import type { IndexControl, Reconciliation, IndexStatus as Status } from '../../src/domain/ports/gateway.js';
import type { Context } from '../context.js';
import { PerspectiveEnum } from '../enums.js';
import { computed, deprecated, field, nullable, outputType } from '../types.js';

const CollectionStatus = outputType<Awaited<ReturnType<Status['collections']>>[number]>(
  'CollectionStatus',
  'The collection of vectors of one perspective.',
  {
    perspective: field(PerspectiveEnum, 'The perspective that the collection holds.'),
    records: nullable(Int, 'Number of vectors, one for each passage of a card; null while Chroma does not answer.'),
  },
);

const IndexReconciliation = outputType<Reconciliation>(
  'IndexReconciliation',
  'The result of the last reconciliation, which compares the index with PostgreSQL and repairs it. Counts are numbers of cards, each counted once per kind; all are 0 if the index is complete.',
  {
    finishedAt: field(GraphQLDateTime, 'When it ended.'),
    cards: field(
      Int,
      'Number of cards that were compared with the index: all, or pages of up to 500 if nothing has changed since all were compared.',
    ),
    missing: field(Int, 'Cards with a missing record.'),
    stale: field(Int, 'Cards with a record of an earlier version.'),
    orphans: field(Int, 'Cards, most of them deleted, that had a record in Chroma and should not have.'),
    probed: field(
      Int,
      'Number of cards in the self-recall probe: a sample of cards is searched by their own vectors. 0 if the vectors are in PostgreSQL.',
    ),
    unreachable: field(Int, 'Cards of the sample that were not found by their own vectors.'),
    repaired: field(
      Int,
      'Cards that are indexed again because of these findings; the next pass repairs what one pass could not.',
    ),
  },
  {
    ghosts: computed(
      Int,
      'The earlier name of `orphans`.',
      ({ orphans }) => orphans,
      deprecated('`orphans`', '2026-11-22'),
    ),
  },
);

const NextIndex = outputType<NonNullable<Status['next']>>(
  'NextIndex',
  'An index generation that is being built, possibly with another model, and will replace the live one.',
  {
    model: field(String, 'The model that makes its vectors, with its dimensions, number type and version.'),
    held: field(Int, 'Number of cards that it holds already.'),
    cards: field(Int, 'Number of cards that it will hold when it is complete.'),
  },
);

export const IndexStatus = outputType<Status>('IndexStatus', 'The state of the search index.', {
  cards: field(Int, 'Number of cards.'),
  indexed: field(Int, 'Number of cards whose current revision is indexed.'),
  pending: field(Int, 'Number of changed cards that wait to be indexed.'),
  failed: field(Int, 'Number of cards that could not be indexed; see lastError in the index of the card.'),
  model: field(String, 'The model that made the vectors, with its dimensions, number type and version.'),
  building: field(
    Boolean,
    'True while a new index is being built beside the live one; it takes over when it is complete.',
  ),
  reconciliation: nullable(
    IndexReconciliation,
    'The last reconciliation pass of this gateway; null before the first one, and for students.',
  ),
  next: nullable(NextIndex, 'Progress of the index that is being built; null if there is none, and for students.'),
  collections: field(
    [CollectionStatus],
    'The collections of the live index, one for each perspective; empty for students, who see only their own cards.',
  ),
});

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
