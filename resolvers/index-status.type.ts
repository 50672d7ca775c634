import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Int, ObjectType } from 'type-graphql';
import type { Perspective } from '../src/domain/perspective.js';
import { PerspectiveEnum } from './enums.js';

@ObjectType({ description: 'The collection of vectors of one perspective.', simpleResolvers: true })
export class CollectionStatus {
  @Field(() => PerspectiveEnum, { description: 'The perspective that the collection holds.' })
  perspective!: Perspective;

  @Field(() => Int, {
    nullable: true,
    description:
      'How many vectors it holds: one for each passage of a card; null while the vector server does not answer.',
  })
  records!: number | null;
}

@ObjectType({
  description:
    'What the last look through the index found and set right. Cards are counted, each once a kind; all are 0 where the index is whole.',
  simpleResolvers: true,
})
export class IndexReconciliation {
  @Field(() => GraphQLDateTime, { description: 'When it ended.' })
  finishedAt!: Date;

  @Field(() => Int, {
    description:
      'How many cards were compared with what the index holds of them: all, or up to 500, in turn, where nothing has changed since all were.',
  })
  cards!: number;

  @Field(() => Int, { description: 'Cards of which the index lacked a record.' })
  missing!: number;

  @Field(() => Int, { description: 'Cards of which a record was not of the card as it is.' })
  stale!: number;

  @Field(() => Int, { description: 'Cards, most of them deleted, of which the index held a record too many.' })
  ghosts!: number;

  @Field(() => Int, { description: 'How many cards were searched for by their own vectors: a sample.' })
  probed!: number;

  @Field(() => Int, { description: 'Cards of the sample that their own vectors did not find.' })
  unreachable!: number;

  @Field(() => Int, {
    description: 'Cards that are indexed anew therefore; what one look could not repair, the next one does.',
  })
  repaired!: number;
}

@ObjectType({
  description: 'An index that is being built, of another model perhaps, and will take over.',
  simpleResolvers: true,
})
export class NextIndex {
  @Field(() => String, {
    description: 'The model that makes its vectors, with its dimensions, number type and version.',
  })
  model!: string;

  @Field(() => Int, { description: 'How many cards it holds already.' })
  held!: number;

  @Field(() => Int, { description: 'How many cards it will hold when it takes over.' })
  cards!: number;
}

@ObjectType({ description: 'How far the search index is behind the cards.', simpleResolvers: true })
export class IndexStatus {
  @Field(() => Int, { description: 'How many cards there are.' })
  cards!: number;

  @Field(() => Int, { description: 'How many of them searches find as they are now.' })
  indexed!: number;

  @Field(() => Int, { description: 'How many have changed and wait to be indexed.' })
  pending!: number;

  @Field(() => Int, { description: 'How many could not be indexed; see lastError in the index of the card.' })
  failed!: number;

  @Field(() => String, {
    description: 'The model that made the vectors, with its dimensions, number type and version.',
  })
  model!: string;

  @Field(() => Boolean, {
    description:
      'True while a new index is being built beside the one that answers; it takes over when it is complete.',
  })
  building!: boolean;

  @Field(() => IndexReconciliation, {
    nullable: true,
    description: 'The last look of this gateway through the index; null before the first one.',
  })
  reconciliation!: IndexReconciliation | null;

  @Field(() => NextIndex, {
    nullable: true,
    description: 'How far the index is that is being built; null where none is, and for students.',
  })
  next!: NextIndex | null;

  @Field(() => [CollectionStatus], {
    description:
      'The collections of the index that answers, one a perspective; none for students, who see their own cards alone.',
  })
  collections!: CollectionStatus[];
}
