import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Int, ObjectType, Root } from 'type-graphql';
import type { Perspective } from '../../src/domain/perspective.js';
import { PerspectiveEnum } from '../enums.js';

@ObjectType({ description: 'The collection of vectors of one perspective.', simpleResolvers: true })
export class CollectionStatus {
  @Field(() => PerspectiveEnum, { description: 'The perspective that the collection holds.' })
  perspective!: Perspective;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of vectors, one for each passage of a card; null while Chroma does not answer.',
  })
  records!: number | null;
}

@ObjectType({
  description:
    'The result of the last reconciliation, which compares the index with PostgreSQL and repairs it. Counts are numbers of cards, each counted once per kind; all are 0 if the index is complete.',
  simpleResolvers: true,
})
export class IndexReconciliation {
  @Field(() => GraphQLDateTime, { description: 'When it ended.' })
  finishedAt!: Date;

  @Field(() => Int, {
    description:
      'Number of cards that were compared with the index: all, or pages of up to 500 if nothing has changed since all were compared.',
  })
  cards!: number;

  @Field(() => Int, { description: 'Cards with a missing record.' })
  missing!: number;

  @Field(() => Int, { description: 'Cards with a record of an earlier version.' })
  stale!: number;

  @Field(() => Int, { description: 'Cards, most of them deleted, that had a record in Chroma and should not have.' })
  orphans!: number;

  @Field(() => Int, {
    description: 'The earlier name of `orphans`.',
    deprecationReason: 'Use `orphans`. Deprecated on 2026-11-22.',
    simple: false,
  })
  ghosts(@Root() { orphans }: IndexReconciliation): number {
    return orphans;
  }

  @Field(() => Int, {
    description:
      'Number of cards in the self-recall probe: a sample of cards is searched by their own vectors. 0 if the vectors are in PostgreSQL.',
  })
  probed!: number;

  @Field(() => Int, { description: 'Cards of the sample that were not found by their own vectors.' })
  unreachable!: number;

  @Field(() => Int, {
    description:
      'Cards that are indexed again because of these findings; the next pass repairs what one pass could not.',
  })
  repaired!: number;
}

@ObjectType({
  description: 'An index generation that is being built, possibly with another model, and will replace the live one.',
  simpleResolvers: true,
})
export class NextIndex {
  @Field(() => String, {
    description: 'The model that makes its vectors, with its dimensions, number type and version.',
  })
  model!: string;

  @Field(() => Int, { description: 'Number of cards that it holds already.' })
  held!: number;

  @Field(() => Int, { description: 'Number of cards that it will hold when it is complete.' })
  cards!: number;
}

@ObjectType({ description: 'The state of the search index.', simpleResolvers: true })
export class IndexStatus {
  @Field(() => Int, { description: 'Number of cards.' })
  cards!: number;

  @Field(() => Int, { description: 'Number of cards whose current revision is indexed.' })
  indexed!: number;

  @Field(() => Int, { description: 'Number of changed cards that wait to be indexed.' })
  pending!: number;

  @Field(() => Int, {
    description: 'Number of cards that could not be indexed; see lastError in the index of the card.',
  })
  failed!: number;

  @Field(() => String, {
    description: 'The model that made the vectors, with its dimensions, number type and version.',
  })
  model!: string;

  @Field(() => Boolean, {
    description: 'True while a new index is being built beside the live one; it takes over when it is complete.',
  })
  building!: boolean;

  @Field(() => IndexReconciliation, {
    nullable: true,
    description: 'The last reconciliation pass of this gateway; null before the first one.',
  })
  reconciliation!: IndexReconciliation | null;

  @Field(() => NextIndex, {
    nullable: true,
    description: 'Progress of the index that is being built; null if there is none, and for students.',
  })
  next!: NextIndex | null;

  @Field(() => [CollectionStatus], {
    description:
      'The collections of the live index, one for each perspective; empty for students, who see only their own cards.',
  })
  collections!: CollectionStatus[];
}
