import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import type { Card } from '../../src/domain/card.js';
import { MistakeCard } from './card.type.js';
import { addCardFields } from './card-fields.js';

@ObjectType({
  description: 'Fields of a merged card that differ from the card it was merged into; null where they are equal.',
  simpleResolvers: true,
})
export class MergedContent {}

addCardFields(MergedContent, { as: 'merged', direction: 'output' });

@ObjectType({ description: 'One occurrence of a mistake.', simpleResolvers: true })
export class Occurrence {
  @Field(() => Int, { description: 'Number of the occurrence, in the order of storing, from 1.' })
  number!: number;

  @Field(() => GraphQLDateTime, { description: 'When the mistake was made.' })
  occurredAt!: Date;

  @Field(() => String, { nullable: true, description: 'The wrong solution of this occurrence, or null.' })
  wrongSolution!: string | null;

  @Field(() => [String], { description: 'The error types of this occurrence.' })
  errorTypes!: string[];

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the card that was merged into this occurrence, or null.',
  })
  mergedId!: string | null;

  @Field(() => MergedContent, { nullable: true, description: 'Fields of that card that differ, or null.' })
  merged!: MergedContent | null;
}

@ObjectType({ description: 'Cards of one owner with the same question.', simpleResolvers: true })
export class DuplicateCluster {
  @Field(() => [MistakeCard], {
    description:
      'Two or more. The first is the one to merge the others into: the card with most occurrences, or the oldest.',
  })
  cards!: Card[];

  @Field(() => Boolean, { description: 'True if the questions differ only in spacing.' })
  exact!: boolean;

  @Field(() => Float, { description: 'The lowest similarity of any of them to the first, from 0 to 1.' })
  nearness!: number;
}

@ObjectType({ description: 'The two cards of a merge that was undone.', simpleResolvers: true })
export class UnmergedCards {
  @Field(() => MistakeCard, { description: 'The card that was restored.' })
  from!: Card;

  @Field(() => MistakeCard, { description: 'The card that it had been merged into.' })
  into!: Card;
}
