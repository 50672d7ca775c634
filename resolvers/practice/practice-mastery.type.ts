import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import type { Card } from '../../src/domain/card.js';
import type { LabelKind } from '../../src/domain/labels.js';
import type { Perspective } from '../../src/domain/perspective.js';
import type { Verdict } from '../../src/domain/search-result.js';
import { MistakeCard } from '../cards/card.type.js';
import { connectionType } from '../connection.js';
import { PerspectiveEnum, VerdictEnum } from '../enums.js';
import { LabelKindEnum } from './practice.enums.js';

@ObjectType({ description: 'How well a student masters a topic or avoids an error.', simpleResolvers: true })
export class Mastery {
  @Field(() => LabelKindEnum, { description: 'Whether it is a topic tag or an error type.' })
  kind!: LabelKind;

  @Field(() => String, { description: 'The label.' })
  name!: string;

  @Field(() => Float, {
    description: 'The ability: the probability of solving a card of medium difficulty with this label, from 0 to 1.',
  })
  ability!: number;

  @Field(() => Float, { description: 'The lower end of the 95 % interval of the ability.' })
  low!: number;

  @Field(() => Float, { description: 'The upper end of the 95 % interval of the ability.' })
  high!: number;

  @Field(() => Float, {
    description:
      'The probability of solving the next such card, in which recent answers count for more than in the ability.',
  })
  successProbability!: number;

  @Field(() => Int, { description: 'Number of attempts at cards with this label.' })
  attempts!: number;

  @Field(() => Int, { description: 'How many of these attempts were right.' })
  right!: number;

  @Field(() => GraphQLDateTime, { description: 'When the last attempt was made.' })
  lastAt!: Date;
}

@ObjectType({ description: 'A page of the mastery of a student, the weakest first.', simpleResolvers: true })
export class MasteryConnection extends connectionType<Mastery>('Mastery', Mastery, {
  one: 'entry',
  many: 'entries',
  edge: 'An entry and its place in the list.',
}) {
  @Field(() => Int, { description: 'Number of entries on all pages.' })
  totalCount!: number;
}

@ObjectType({ description: 'A card of a ladder.', simpleResolvers: true })
export class LadderRung {
  @Field(() => MistakeCard, { description: 'The card.' })
  card!: Card;

  @Field(() => Float, { description: 'The probability that the student solves it.' })
  successProbability!: number;

  @Field(() => VerdictEnum, { description: 'How it is related to the mistake.' })
  verdict!: Verdict;

  @Field(() => PerspectiveEnum, { description: 'The perspective in which it was found.' })
  perspective!: Perspective;

  @Field(() => Boolean, {
    description: 'True for an easier question about the same idea, inserted because its prerequisites look weak.',
  })
  isLevelDown!: boolean;

  @Field(() => String, { description: 'Why it is part of the ladder.' })
  reason!: string;
}

@ObjectType({ description: 'Cards that train a mistake, from easy to hard.', simpleResolvers: true })
export class PracticeLadder {
  @Field(() => [LadderRung], { description: 'The rungs; no two of them ask the same question.' })
  rungs!: LadderRung[];

  @Field(() => [String], { description: 'What the notebook lacks for a better ladder; empty if it lacks nothing.' })
  missing!: string[];
}

@ObjectType({ description: 'The difficulty of a card, estimated from its most similar cards.', simpleResolvers: true })
export class CardDifficulty {
  @Field(() => Float, {
    description: 'The estimate, from 1 (easiest) to 5: the mean of the neighbours, weighted by similarity.',
  })
  estimate!: number;

  @Field(() => Float, { description: 'The standard deviation of the neighbours.' })
  spread!: number;

  @Field(() => [ID], { description: 'The neighbours, at most ten, the most similar one first.' })
  neighbourIds!: readonly string[];

  @Field(() => Int, {
    description:
      'Number of attempts at the neighbours that the viewer may see; they adjust the grades of the neighbours.',
  })
  attempts!: number;

  @Field(() => Int, { description: 'How many of these attempts were right.' })
  right!: number;
}
